"""Has as many ARQs of a device profile in Cyborg's database as the first argument says, or with 0 takes all copies out again.

The second argument is the profile, whose name begins with "bench-". What is stored are copies of one ARQ that was made through the
API, which is not bound, with uuids of their own. Made through the API a thousand take minutes.
"""
import sys
import uuid

import sqlalchemy
from cyborg.db.sqlalchemy import models
from oslo_config import cfg
from oslo_db import options

ARQS = models.ExtArq.__table__
PROFILES = models.DeviceProfile.__table__


def ids(connection, condition):
    return [row.id for row in connection.execute(sqlalchemy.select(PROFILES.c.id).where(condition))]


def fill(connection, number, profile):
    own = ARQS.c.device_profile_id.in_(ids(connection, PROFILES.c.name == profile))
    present = connection.execute(sqlalchemy.select(sqlalchemy.func.count()).select_from(ARQS).where(own)).scalar()
    model = dict(connection.execute(sqlalchemy.select(ARQS).where(own, ARQS.c.attach_handle_id.is_(None)).limit(1)).one()._mapping)
    del model["id"]
    copies = [dict(model, uuid=str(uuid.uuid4())) for _ in range(present, number)]
    if copies:
        connection.execute(ARQS.insert(), copies)


def clear(connection):
    mine = ids(connection, PROFILES.c.name.like("bench-%"))
    connection.execute(ARQS.delete().where(ARQS.c.device_profile_id.in_(mine), ARQS.c.attach_handle_id.is_(None)))


def main():
    config = cfg.ConfigOpts()
    options.set_defaults(config)
    config([], project="cyborg", default_config_files=["/etc/cyborg/cyborg.conf"])
    number = int(sys.argv[1])
    with sqlalchemy.create_engine(config.database.connection).begin() as connection:
        if number:
            fill(connection, number, sys.argv[2])
        else:
            clear(connection)


main()
