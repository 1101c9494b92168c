package org.flowmon.bench.experiment;

import java.io.IOException;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.harness.Run;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/**
 * A lookup of all flows of an address or a network.
 *
 * @param flows that it must find
 */
public record Lookup(IpPrefix prefix, long flows) {
  static final int HOST = 32;

  /** A lookup of an IPv4 network, or of a host. */
  public static Lookup of(long address, int bits, long flows) {
    return new Lookup(new IpPrefix(IpAddress.ofIpv4((int) address), bits), flows);
  }

  public static Lookup ofHost(long address, long flows) {
    return of(address, HOST, flows);
  }

  /**
   * Looks up in a snapshot of its own, like a user's request.
   *
   * @param isExact whether more flows are an error, too: not if flows come in meanwhile
   */
  QueryAnswer in(Archive archive, QueryOptions how, boolean isExact) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return in(snapshot, how, isExact);
    }
  }

  /** Looks up; another number of flows is an error. */
  public QueryAnswer in(ArchiveSnapshot snapshot, QueryOptions how) throws IOException {
    return in(snapshot, how, true);
  }

  private QueryAnswer in(ArchiveSnapshot snapshot, QueryOptions how, boolean isExact)
      throws IOException {
    QueryAnswer answer =
        ArchiveQuery.lookup(snapshot, prefix, Long.MIN_VALUE, Long.MAX_VALUE, -1, how);
    int found = answer.table().rowCount();
    Run.require(
        isExact ? found == flows : found >= flows,
        "%d flows of %s, expected %d",
        found,
        prefix,
        flows);
    return answer;
  }
}
