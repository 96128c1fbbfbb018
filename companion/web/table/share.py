"""Pages for links, QR codes and short codes for joining a table."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.tables import Refused
from companion.tables.play import access
from companion.tables.play.access import Link, LinkInfo
from companion.web.net.guard import network_of
from companion.web.page.context import current_tables, form_number
from companion.web.page.errors import page_fault
from companion.web.page.links import address_for_others, qr_code
from companion.web.page.security import device
from companion.web.table.start import start_page

pages = Blueprint("share", __name__)

MAX_CODE_LENGTH: Final = 20


@pages.get("/t/<table_id>/share")
def panel(table_id: str) -> ResponseReturnValue:
    """The dialog without a QR code; a `POST` makes the link that the code leads to."""
    return _dialog(table_id)


@pages.get("/t/<table_id>/guests")
def guests(table_id: str) -> ResponseReturnValue:
    """The part of the dialog with the players who have joined so far."""
    return render_template(
        "table/fragments/guests.html", table=current_tables().read(table_id, device())
    )


@pages.get("/t/<table_id>/links")
def valid_links(table_id: str) -> ResponseReturnValue:
    """The part of the dialog that lists the links and how many phones came by each."""
    return _dialog(table_id, "table/fragments/links.html")


@pages.post("/t/<table_id>/share")
def share(table_id: str) -> ResponseReturnValue:
    """The dialog with the QR code, link and short code for players."""
    link = current_tables().change(table_id, device(), access.join_link)
    return _shown(table_id, link)


@pages.post("/t/<table_id>/links/view")
def make_view_link(table_id: str) -> ResponseReturnValue:
    """Shows the link for watching in the dialog. For the host."""
    return _shown(table_id, current_tables().change(table_id, device(), access.view_link))


@pages.post("/t/<table_id>/links/<link_id>/revoke")
def revoke(table_id: str, link_id: str) -> ResponseReturnValue:
    """Ends a link, and the memberships made with it; leads back to the dialog."""
    current_tables().change(table_id, device(), access.revoke, link_id)
    return redirect(url_for("share.panel", table_id=table_id), code=303)


def _shown(table_id: str, link: Link) -> ResponseReturnValue:
    address = address_for_others(url_for("share.arrive", link_id=link.id))
    return _dialog(table_id, link=link, address=address, qr=qr_code(address))


def _dialog(
    table_id: str, template: str = "table/fragments/share.html", **more: object
) -> ResponseReturnValue:
    table = current_tables().read(table_id, device())
    links = current_tables().links(table_id, device()) if table.me.role == "host" else ()
    return render_template(template, table=table, links=links, **more)


@pages.get("/j/<link_id>")
def arrive(link_id: str) -> ResponseReturnValue:
    """The page behind a link or QR code: choose a seat, or just watch. Changes nothing yet."""
    # The phone gets its cookie now, or two quick taps on a seat would count as two phones.
    device()
    info = current_tables().link_with_id(link_id)
    if _is_back(info):
        return redirect(url_for("play.show", table_id=info.table_id), code=303)
    return render_template("table/join.html", info=info, fault=None)


def _is_back(info: LinkInfo) -> bool:
    """Whether this phone already has what the link offers: a seat, or a place to watch."""
    try:
        table = current_tables().read(info.table_id, device())
    except Refused:
        return False
    return info.kind == "view" or any(seat.mine for seat in table.seats)


@pages.post("/j/<link_id>")
def enter(link_id: str) -> ResponseReturnValue:
    """Takes the seat chosen, or one with a new name, or watches; leads to the table."""
    try:
        table_id = current_tables().enter(
            link_id,
            device(),
            seat=form_number(request.form, "seat") if "seat" in request.form else None,
            new_name=request.form.get("name") or None,
        )
    except Refused as refused:
        fault, status = page_fault(refused)
        if not fault.is_at("name"):
            raise
        info = current_tables().link_with_id(link_id)
        return render_template("table/join.html", info=info, fault=fault), status
    return redirect(url_for("play.show", table_id=table_id), code=303)


@pages.post("/join")
def by_code() -> ResponseReturnValue:
    """Redirects a typed code to the same page as its link."""
    code = request.form.get("code", "")[:MAX_CODE_LENGTH]
    try:
        info = current_tables().link_with_code(code, network_of(request.remote_addr or ""))
    except Refused as refused:
        fault, status = page_fault(refused)
        return start_page(fault), status
    return redirect(url_for("share.arrive", link_id=info.id), code=303)
