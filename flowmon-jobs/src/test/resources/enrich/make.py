"""Makes the .mmdb files beside it, with mmdb_writer 0.2.7 of PyPI: python3 make.py"""
import ipaddress
import random

from mmdb_writer import MMDBWriter
from netaddr import IPSet


def write(name, version, kind, records):
    writer = MMDBWriter(version, kind, languages=["en"], ipv4_compatible=version == 6,
                        description="of documentation addresses and random ones")
    for networks, record in records:
        writer.insert_network(IPSet(networks), record)
    writer.to_db_file(name)


def city(country, name=None):
    record = {"country": {"iso_code": country, "names": {"en": country}},
              "location": {"latitude": 1.5, "longitude": -2.25, "accuracy_radius": 20},
              "subdivisions": [{"iso_code": "X", "names": {"en": "Some"}}]}
    if name:
        record["city"] = {"geoname_id": 1234567, "names": {"de": "x" + name, "en": name}}
    return record


draw = random.Random(28)
countries = ["DE", "AT", "CH", "FR", "US", "JP", "BR"]
some = []
for i in range(300):
    bits = draw.randint(9, 30)
    some.append(([str(ipaddress.ip_network((draw.getrandbits(32), bits), strict=False))],
                 city(draw.choice(countries), f"City {i % 90}" if i % 3 else None)))
for i in range(200):
    bits = draw.randint(20, 64)
    address = 0x2000 << 112 | draw.getrandbits(125)
    some.append(([str(ipaddress.ip_network((address, bits), strict=False))],
                 city(draw.choice(countries), f"Stadt {i % 50}")))
some.sort(key=lambda one: ipaddress.ip_network(one[0][0]).prefixlen)  # the longest last: they win
write("city.mmdb", 6, "Test-City", some + [
    (["192.0.2.0/24"], city("DE", "Köln")),
    (["198.51.100.0/24"], city("AT", "Wien")),
    (["203.0.113.0/25"], city("US")),
    (["2001:db8::/48"], city("FR", "Paris")),
])
write("as.mmdb", 6, "Test-ASN", [
    (["192.0.2.0/24"], {"autonomous_system_number": 64496,
                        "autonomous_system_organization": "Example One"}),
    (["198.51.100.0/24"], {"autonomous_system_number": 64497,
                           "autonomous_system_organization": "Example Two, Inc."}),
    (["2001:db8::/32"], {"autonomous_system_number": 4200000000,
                         "autonomous_system_organization": "Example Six"}),
])
write("ipinfo.mmdb", 4, "ipinfo generic_lite.mmdb", [
    (["192.0.2.0/24"], {"asn": "AS64496", "as_name": "Example One", "country": "Germany",
                        "country_code": "DE"}),
    (["198.51.100.0/25"], {"asn": "AS64497", "as_name": "Example Two", "country": "Austria",
                           "country_code": "AT"}),
])
