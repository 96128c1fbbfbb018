"""Reviews of photos with the pictures of their sheets, and photos that are kept with a game."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Makes reviews, their pictures, and the photos kept with a match."""
    op.create_table(
        "reviews",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("device", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reviews"),
    )
    op.create_index("ix_reviews_device", "reviews", ["device"])
    op.create_index("ix_reviews_changed_at", "reviews", ["changed_at"])
    op.create_table(
        "review_pictures",
        sa.Column("review_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["review_id"],
            ["reviews.id"],
            name="fk_review_pictures_review_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("review_id", "name", name="pk_review_pictures"),
    )
    op.create_table(
        "play_photos",
        sa.Column("play_id", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["play_id"], ["plays.id"], name="fk_play_photos_play_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("play_id", "number", name="pk_play_photos"),
    )


def downgrade() -> None:
    """Drops reviews and all photos; saved matches stay."""
    op.drop_table("play_photos")
    op.drop_table("review_pictures")
    op.drop_table("reviews")
