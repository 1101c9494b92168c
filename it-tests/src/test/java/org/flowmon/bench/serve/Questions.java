package org.flowmon.bench.serve;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.bench.archive.AddressCounts.Counted;
import org.flowmon.bench.scale.ScaleArchive;
import org.flowmon.flow.IpAddress;

/**
 * What clients ask of a {@link ScaleArchive}.
 *
 * @param small requests of several kinds, in turn
 * @param lookups the flows of an address each
 * @param sqlLookup the flows of another address
 */
record Questions(List<Asked> small, List<Asked> lookups, List<Asked> huge, String sqlLookup) {
  private static final String SENDERS =
      "SELECT src_addr, protocol, SUM(bytes) AS b FROM flows GROUP BY src_addr, protocol"
          + " ORDER BY b DESC LIMIT 10";
  private static final String FAN_OUT =
      "SELECT src_port, COUNT(DISTINCT dst_addr) AS n FROM flows GROUP BY src_port"
          + " ORDER BY n DESC LIMIT 10";
  private static final String SPREAD =
      "SELECT protocol, dst_port, COUNT(*) AS n, STDDEV(bytes) AS s FROM flows"
          + " GROUP BY protocol, dst_port ORDER BY n DESC LIMIT 10";
  private static final String ROWS =
      "SELECT end_time, src_addr, dst_addr, bytes FROM flows WHERE bytes > 20000";

  static Questions of(ScaleArchive archive) {
    List<Asked> small = new ArrayList<>();
    List<Asked> lookups = new ArrayList<>();
    List<Counted> some = archive.hosts().get("lookup_100");
    List<Counted> absent = archive.hosts().get("lookup_absent");
    for (int i = 0; i < some.size(); i++) {
      String host = IpAddress.ofIpv4((int) some.get(i).address()).toString();
      String stranger = IpAddress.ofIpv4((int) absent.get(i % absent.size()).address()).toString();
      Asked lookup = Asked.get("flows of an address", "api/v1/flows?address=" + host);
      small.add(lookup);
      lookups.add(lookup);
      small.add(Asked.get("flows of an absent address", "api/v1/flows?address=" + stranger));
      small.add(Asked.get("summary of a host", "api/v1/hosts/" + host));
      small.add(
          Asked.query(
              "peers of a host",
              "SELECT dst_addr, SUM(bytes) AS b FROM flows WHERE src_addr = '"
                  + host
                  + "' GROUP BY dst_addr ORDER BY b DESC LIMIT 10",
              "json"));
    }
    return new Questions(
        small,
        lookups,
        List.of(
            Asked.query("senders", SENDERS, "json"),
            Asked.query("distinct destinations", FAN_OUT, "json"),
            Asked.query("rows", ROWS, "ndjson"),
            Asked.query("ports", SPREAD, "json")),
        "SELECT end_time, src_addr, dst_addr, bytes FROM flows WHERE src_addr = '"
            + IpAddress.ofIpv4((int) some.get(some.size() - 1).address())
            + "'");
  }
}
