# The companion in a container: docker build -t companion .   (or podman build -t companion .)
#
#   podman run --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges \
#     -v companion:/data -p 127.0.0.1:8000:8000 companion \
#     serve --name games.example.org --behind-proxy 10.88.0.1
#
# What follows the image's name goes to `companion`: serve, backup, status and so on. The proxy's address
# is the one that the container sees: of podman's or docker's bridge. For another processor:
#   docker build --platform linux/arm64 -t companion .
# deploy/compose.sqlite.yaml has one server and Caddy; deploy/compose.yaml PostgreSQL, several servers and a reader, too.

ARG PYTHON=docker.io/library/python:3.11-slim-bookworm
FROM ${PYTHON} AS build
WORKDIR /src
COPY requirements-image.lock pyproject.toml README.md LICENSE ./
RUN python3 -m venv /opt/companion \
 && /opt/companion/bin/pip install --no-cache-dir --require-hashes -r requirements-image.lock
COPY companion companion
COPY templates templates
COPY static static
COPY printables printables
RUN /opt/companion/bin/pip install --no-cache-dir --no-deps .

FROM ${PYTHON}
COPY --from=build /opt/companion /opt/companion
ENV COMPANION_DB=sqlite:////data/companion.sqlite3 \
    PATH=/opt/companion/bin:$PATH HOME=/data XDG_CACHE_HOME=/tmp \
    PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN useradd --uid 1000 --user-group --no-create-home --home-dir /data companion \
 && install -d -m 0700 -o companion -g companion /data
VOLUME /data
USER companion
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK CMD ["/opt/companion/bin/python", "-c", \
    "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health/ready', timeout=5)"]
ENTRYPOINT ["companion"]
CMD ["serve"]
