"""Puts hosts with four accelerators each into Placement's database, as many as the first argument says, or with 0 takes all out again.

Their names begin with "bench-". The tables are Placement's own models; only HTTP is left out, which would take minutes.
"""
import sys

import sqlalchemy
from oslo_config import cfg
from placement import conf
from placement.db.sqlalchemy import models

CARDS = [("FPGA", ["CUSTOM_FPGA_X", "OWNER_CYBORG"])] * 2 + [("PGPU", ["OWNER_CYBORG"])] * 2
NODE = [("VCPU", 64, 4.0), ("MEMORY_MB", 262144, 1.0), ("DISK_GB", 2000, 1.0)]
NODE_TRAITS = ["COMPUTE_ACCELERATORS", "COMPUTE_NODE", "HW_CPU_X86_VMX"]

PROVIDERS = models.ResourceProvider.__table__
INVENTORIES = models.Inventory.__table__
TRAITS = models.ResourceProviderTrait.__table__


def ids(connection, table):
    return {row.name: row.id for row in connection.execute(sqlalchemy.select(table.c.id, table.c.name))}


def host_uuid(host):
    return "00000000-0000-4000-8000-%08d0000" % host


def card_uuid(host, card):
    return "00000000-0000-4000-8000-%08d%04d" % (host, card + 1)


def fill(connection, hosts):
    classes, traits = ids(connection, models.ResourceClass.__table__), ids(connection, models.Trait.__table__)
    present = connection.execute(sqlalchemy.select(sqlalchemy.func.count()).select_from(PROVIDERS).where(
        PROVIDERS.c.name.like("bench-%"), PROVIDERS.c.parent_provider_id.is_(None))).scalar()
    free = (connection.execute(sqlalchemy.select(sqlalchemy.func.max(PROVIDERS.c.id))).scalar() or 0) + 1
    providers, inventories, owned = [], [], []

    def add(uuid, name, root, parent, stock, names):
        nonlocal free
        providers.append({"id": free, "uuid": uuid, "name": name, "generation": 2, "root_provider_id": root or free,
                          "parent_provider_id": parent})
        for resource, total, ratio in stock:
            inventories.append({"resource_provider_id": free, "resource_class_id": classes[resource], "total": total, "reserved": 0,
                                "min_unit": 1, "max_unit": total, "step_size": 1, "allocation_ratio": ratio})
        owned.extend({"resource_provider_id": free, "trait_id": traits[trait]} for trait in names)
        free += 1
        return free - 1

    for host in range(present, hosts):
        root = add(host_uuid(host), "bench-%d" % host, None, None, NODE, NODE_TRAITS)
        for number, (resource, names) in enumerate(CARDS):
            add(card_uuid(host, number), "bench-%d-%d" % (host, number), root, root, [(resource, 1, 1.0)], names)
    for table, rows in ((PROVIDERS, providers), (INVENTORIES, inventories), (TRAITS, owned)):
        if rows:
            connection.execute(table.insert(), rows)


def clear(connection):
    mine = [row.id for row in connection.execute(sqlalchemy.select(PROVIDERS.c.id).where(PROVIDERS.c.name.like("bench-%")))]
    connection.execute(TRAITS.delete().where(TRAITS.c.resource_provider_id.in_(mine)))
    connection.execute(INVENTORIES.delete().where(INVENTORIES.c.resource_provider_id.in_(mine)))
    owned = PROVIDERS.c.id.in_(mine)
    connection.execute(PROVIDERS.update().where(owned).values(root_provider_id=None, parent_provider_id=None))
    connection.execute(PROVIDERS.delete().where(owned))


def main():
    config = cfg.ConfigOpts()
    conf.register_opts(config)
    config([], project="placement", default_config_files=["/etc/placement/placement.conf"])
    engine = sqlalchemy.create_engine(config.placement_database.connection)
    hosts = int(sys.argv[1])
    with engine.begin() as connection:
        if hosts:
            fill(connection, hosts)
        else:
            clear(connection)


main()
