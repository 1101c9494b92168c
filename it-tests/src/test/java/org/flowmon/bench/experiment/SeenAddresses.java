package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.host.LastSeen;
import org.flowmon.archive.host.SeenHosts;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.archive.AddressCounts;
import org.flowmon.bench.archive.AddressCounts.Counted;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/**
 * Time of SEEN for the addresses of a window: whether they have flows in the 90 days before it.
 * Each round asks for other addresses, of another window in the archive's last hour.
 */
public final class SeenAddresses implements Experiment {
  private static final long HOUR = 3_600_000_000L;
  private static final long PAST = 90 * 24 * HOUR;
  private static final int CHECKED = 40; // of each kind, by looking up their flows

  /** Addresses that are drawn from. */
  private record Kind(String name, List<IpAddress> addresses) {}

  @Override
  public void run(Run run) throws IOException {
    GeneratedWorkload workload = new GeneratedWorkload(run.number("rows"), run.number("seed"));
    run.word("workload", workload.description());
    Archive archive =
        run.open(Archive.create(run.folder().resolve("archive"), ArchiveOptions.DEFAULTS));
    AddressCounts counts = new AddressCounts();
    run.progress("loading %s", workload.description());
    try (CheckpointLoad load = new CheckpointLoad(archive, run.integer("commit-rows"))) {
      workload.read(
          block -> {
            counts.add(block);
            load.add(block);
          });
      load.finish();
    }
    Map<String, Kind> kinds = kinds(run, counts);
    for (Kind kind : kinds.values()) {
      check(archive, kind);
    }
    for (int addresses : run.integers("addresses")) {
      for (Kind kind : kinds.values()) {
        measure(run, archive, kind, addresses);
      }
    }
  }

  private static Map<String, Kind> kinds(Run run, AddressCounts counts) {
    List<IpAddress> known = new ArrayList<>();
    for (Counted one : counts.drawn(run.integer("drawn"), run.number("seed"))) {
      known.add(IpAddress.ofIpv4((int) one.address()));
    }
    SplittableRandom random = new SplittableRandom(run.number("seed"));
    List<IpAddress> unknown = new ArrayList<>();
    while (unknown.size() < known.size()) {
      long address = random.nextInt() & 0xFFFF_FFFFL;
      if (counts.rows(address) == 0) {
        unknown.add(IpAddress.ofIpv4((int) address));
      }
    }
    Map<String, Kind> kinds = new TreeMap<>();
    kinds.put("there", new Kind("there", known));
    kinds.put("new", new Kind("new", unknown));
    return kinds;
  }

  private static long end(ArchiveSnapshot snapshot) {
    return snapshot.segments().stream().mapToLong(one -> one.timeKey().max()).max().orElseThrow();
  }

  private static List<LastSeen> ask(
      ArchiveSnapshot snapshot, List<IpAddress> addresses, long before) throws IOException {
    return SeenHosts.last(List.of(snapshot), addresses, before - PAST, before, before, () -> {});
  }

  /** The flows of some addresses say the same. */
  private static void check(Archive archive, Kind kind) throws IOException {
    List<IpAddress> some = kind.addresses().subList(0, Math.min(CHECKED, kind.addresses().size()));
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      long before = end(snapshot) - HOUR;
      List<LastSeen> found = ask(snapshot, some, before);
      for (int i = 0; i < some.size(); i++) {
        int flows =
            ArchiveQuery.lookup(
                    snapshot,
                    new IpPrefix(some.get(i), Lookup.HOST),
                    before - PAST,
                    before,
                    1,
                    QueryOptions.DEFAULTS.withAsOfArrival(before))
                .table()
                .rowCount();
        Run.require(
            found.get(i).isEver() == flows > 0,
            "%s was %s, and there are %d flows of it",
            some.get(i),
            found.get(i).isEver() ? "seen" : "not seen",
            flows);
      }
    }
  }

  private static void measure(Run run, Archive archive, Kind kind, int addresses)
      throws IOException {
    SplittableRandom random = new SplittableRandom(run.number("seed") + addresses);
    Samples.Operation window =
        round -> {
          List<IpAddress> asked = new ArrayList<>(addresses);
          for (int a = 0; a < addresses; a++) {
            asked.add(kind.addresses().get(random.nextInt(kind.addresses().size())));
          }
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            var unused = ask(snapshot, asked, end(snapshot) - random.nextLong(HOUR));
          }
        };
    long begun = System.nanoTime();
    do {
      Samples.millis(1, window);
    } while (System.nanoTime() - begun < run.number("warm-up") * 1_000_000);
    double[] cpu = new double[run.integer("windows")];
    Samples timed =
        Samples.millis(
            cpu.length,
            round -> {
              long before = Samples.cpuNanos();
              window.run(round);
              cpu[round] = (Samples.cpuNanos() - before) / 1e6;
            });
    run.add(
        new Row()
            .put("addresses", addresses)
            .put("kind", kind.name())
            .put("median", timed.median())
            .put("p99", timed.percentile(0.99))
            .put("cpu_median", Samples.of(cpu).median())
            .put("cpu_p99", Samples.of(cpu).percentile(0.99)));
    run.point(kind.name(), addresses, timed.median());
  }
}
