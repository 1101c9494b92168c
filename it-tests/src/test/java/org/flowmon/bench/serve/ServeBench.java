package org.flowmon.bench.serve;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.bench.machine.ChildJvm;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.scale.ScaleArchive;
import org.flowmon.bench.scale.ScaleLoad;
import org.flowmon.deploy.Flowmon;
import org.flowmon.flow.IpAddress;

/**
 * A server over a large archive: small requests alone and beside huge queries, lookups while flows
 * arrive, beside idle clients; the first lookup of a new process; pages of the console.
 */
public final class ServeBench implements Experiment {
  private static final int BESIDE = 0;
  private static final int ARRIVING = 1;
  private static final int IDLE = 2;
  private static final int FIRST = 3;
  private static final int CONSOLE = 4;
  private static final int SPARE_CONNECTIONS = 8;

  @Override
  public void run(Run run) throws Exception {
    System.setProperty(
        "http.maxConnections", String.valueOf(run.integer("huge") + SPARE_CONNECTIONS));
    ScaleArchive archive = archive(run);
    Questions questions = Questions.of(archive);
    Path folder = run.folder();
    List<String> parts = run.texts("only");
    double load = load();
    if (parts.contains("huge")) {
      beside(run, archive, questions, folder);
    }
    if (parts.contains("arriving")) {
      arriving(run, archive, questions, folder);
    }
    if (parts.contains("idle")) {
      idle(run, archive, questions, folder);
    }
    if (parts.contains("first")) {
      first(run, archive, questions, folder);
    }
    if (parts.contains("console")) {
      console(run, archive, folder);
    }
    run.note(
        String.format("load of the machine: %.1f at the begin, %.1f at the end", load, load()));
  }

  private static ScaleArchive archive(Run run) throws IOException {
    Optional<Path> directory = run.path("dir");
    if (directory.isPresent() && Files.exists(directory.get())) {
      return ScaleArchive.read(directory.get());
    }
    return ScaleLoad.build(run, run.open(BenchFolder.of("serve", directory)).path());
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static ServeProcess serve(Path folder, Path... archives) throws IOException {
    return ServeProcess.start(List.of(archives), folder.resolve("audit.json"));
  }

  /** Alone and beside take turns, so that both see the same other load of the machine. */
  private static void beside(Run run, ScaleArchive archive, Questions questions, Path folder)
      throws IOException {
    long nanos = run.duration("for").toNanos();
    int rounds = run.integer("rounds");
    int clients = run.integer("small");
    int answered = 0;
    try (ServeProcess server = serve(folder, archive.archive())) {
      SmallClients warm = new SmallClients(server.url(), questions.small(), clients);
      SmallClients alone = new SmallClients(server.url(), questions.small(), clients);
      SmallClients beside = new SmallClients(server.url(), questions.small(), clients);
      for (int round = 0; round <= rounds; round++) { // the first warms up
        warm.closed(nanos / rounds);
        (round == 0 ? warm : alone).closed(nanos / rounds);
        try (HugeClients huge =
            new HugeClients(server.url(), questions.huge(), run.integer("huge"))) {
          warm.closed(nanos / rounds);
          int before = huge.answered();
          (round == 0 ? warm : beside).closed(nanos / rounds);
          answered += round == 0 ? 0 : huge.answered() - before;
          Run.require(huge.failed().isEmpty(), "a huge query failed: %s", huge.failed());
        }
      }
      for (String kind : alone.kinds()) {
        run.add(BESIDE, compared(new Row().put("request", kind), alone.of(kind), beside.of(kind)));
      }
      run.add(BESIDE, compared(new Row().put("request", "all"), alone.all(), beside.all()));
      run.note(
          String.format(
              "huge queries answered beside small requests: %d in %s; server: %d MiB at most",
              answered, run.duration("for"), server.memory().most() >> 20));
    }
  }

  private static Row compared(Row row, Samples alone, Samples then) {
    return row.put("alone", alone.size())
        .put("alone_p50_ms", alone.median())
        .put("alone_p99_ms", alone.percentile(0.99))
        .put("then", then.size())
        .put("then_p50_ms", then.median())
        .put("then_p99_ms", then.percentile(0.99))
        .put("p99_ratio", then.percentile(0.99) / alone.percentile(0.99));
  }

  private static void arriving(Run run, ScaleArchive archive, Questions questions, Path folder)
      throws IOException {
    long nanos = run.duration("for").toNanos();
    double perSecond = run.number("lookups");
    int clients = run.integer("small");
    Path live = folder.resolve("live");
    Archive.create(live, ArchiveOptions.DEFAULTS).close();
    try (ServeProcess server = serve(folder, archive.archive(), live)) {
      new SmallClients(server.url(), questions.lookups(), clients).closed(nanos);
      SmallClients alone = new SmallClients(server.url(), questions.lookups(), clients);
      alone.open(nanos, perSecond);
      SmallClients meanwhile = new SmallClients(server.url(), questions.lookups(), clients);
      double reached;
      try (Arrivals arrivals = new Arrivals(live, run.number("flows"), run.number("seed") + 1)) {
        new SmallClients(server.url(), questions.lookups(), clients).open(nanos, perSecond);
        meanwhile.open(nanos, perSecond);
        reached = arrivals.perSecond();
      }
      run.add(
          ARRIVING,
          compared(
              new Row()
                  .put("lookups_a_second", run.number("lookups"))
                  .put("flows_a_second", reached),
              alone.all(),
              meanwhile.all()));
    }
  }

  private static void idle(Run run, ScaleArchive archive, Questions questions, Path folder)
      throws IOException {
    long nanos = run.duration("for").toNanos();
    int clients = run.integer("small");
    try (ServeProcess server = serve(folder, archive.archive())) {
      new SmallClients(server.url(), questions.small(), clients).closed(nanos);
      SmallClients alone = new SmallClients(server.url(), questions.small(), clients);
      alone.closed(nanos);
      SmallClients beside = new SmallClients(server.url(), questions.small(), clients);
      long before = server.memory().anonymous();
      int idleClients = run.integer("idle");
      double millis;
      long bytes;
      try (IdleClients idle = new IdleClients(server.url(), idleClients)) {
        bytes = server.memory().anonymous() - before;
        beside.closed(nanos);
        long begun = System.nanoTime();
        idle.ask();
        millis = (System.nanoTime() - begun) / 1e6;
      }
      run.add(
          IDLE,
          compared(
              new Row()
                  .put("idle_clients", idleClients)
                  .put("kib_each", bytes / 1024.0 / idleClients)
                  .put("answered_again_ms_each", millis / idleClients),
              alone.all(),
              beside.all()));
    }
  }

  private static void first(Run run, ScaleArchive archive, Questions questions, Path folder)
      throws IOException {
    for (boolean isCold : new boolean[] {true, false}) {
      Optional<String> problem = isCold ? PageCache.drop(archive.archive()) : Optional.empty();
      if (problem.isPresent()) {
        run.progress("no cold figures: %s", problem.get());
        continue;
      }
      long start = System.nanoTime();
      try (ServeProcess server = serve(folder, archive.archive())) {
        long listening = System.nanoTime();
        long unused = questions.lookups().get(0).ask(server.url());
        long answered = System.nanoTime();
        unused = questions.lookups().get(1).ask(server.url());
        run.add(
            FIRST,
            new Row()
                .put("pages", isCold ? "on disk" : "in memory")
                .put("rows", archive.rows())
                .put("serve_listens_ms", (listening - start) / 1e6)
                .put("first_ms", (answered - listening) / 1e6)
                .put("second_ms", (System.nanoTime() - answered) / 1e6)
                .put("command_ms", command(archive, questions)));
      }
    }
  }

  /** Pages of hosts, each opened as from a link that somebody sent, or gone to in the console. */
  private static void console(Run run, ScaleArchive archive, Path folder) throws IOException {
    try (ServeProcess server = serve(folder, archive.archive())) {
      Optional<ConsolePages> started = ConsolePages.start(server.url());
      if (started.isEmpty()) {
        run.progress("no figures of the console: chromium or chromedriver is not on the PATH");
        return;
      }
      try (ConsolePages pages = started.get()) {
        for (String kind : archive.hosts().keySet()) {
          List<String> views =
              archive.hosts().get(kind).stream()
                  .map(host -> "#/host/" + IpAddress.ofIpv4((int) host.address()))
                  .toList();
          int some = Math.min(run.integer("pages"), views.size() / 2);
          List<String> opened = views.subList(0, some);
          List<String> goneTo = views.subList(some, 2 * some);
          run.add(CONSOLE, shown(kind, "opened first", opened.subList(0, 1), pages::open));
          run.add(CONSOLE, shown(kind, "opened", opened, pages::open));
          run.add(CONSOLE, shown(kind, "gone to", goneTo, pages::go));
        }
      }
    }
  }

  private static Row shown(
      String hosts, String way, List<String> views, Function<String, ConsolePages.Times> show) {
    List<ConsolePages.Times> all = views.stream().map(show).toList();
    Samples content = Samples.of(all.stream().map(ConsolePages.Times::content).toList());
    Samples whole = Samples.of(all.stream().map(ConsolePages.Times::whole).toList());
    return new Row()
        .put("hosts", hosts)
        .put("page", way)
        .put("pages", views.size())
        .put("content_p50_ms", content.median())
        .put("content_most_ms", content.most())
        .put("whole_p50_ms", whole.median())
        .put("whole_most_ms", whole.most());
  }

  /** A command of its own for one lookup, from its start to its end, without shared classes. */
  private static double command(ScaleArchive archive, Questions questions) throws IOException {
    long start = System.nanoTime();
    byte[] unused =
        ChildJvm.run(
            Flowmon.class,
            ChildJvm.LAUNCHER,
            List.of("query", "--archive", archive.archive().toString(), questions.sqlLookup()));
    return (System.nanoTime() - start) / 1e6;
  }
}
