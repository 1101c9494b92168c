package org.flowmon.deploy.size;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a deployment needs, each number with what it follows from. */
final class Plan {
  /** Segments of one archive: beyond, its manifest holds more than half a GiB of each process. */
  private static final double MOST_SEGMENTS = 1e6;

  private static final double SEGMENT_ROWS = 4e6;
  private static final double DAY = 86_400;
  private static final double MONTH = 30 * DAY;
  private static final int FILES_OF_A_SEGMENT = 2;

  /** What is asked for. */
  record Wanted(
      double flows,
      int days,
      List<String> analyses,
      double headroom,
      int slotsOfTaskManager,
      double checkpointSeconds,
      Prices prices) {}

  /** US dollars. */
  record Prices(double gigabyteMonth, double thousandPuts, double thousandGets) {}

  /** A number with its unit, and what it follows from. */
  record Line(String name, double value, String unit, String from) {}

  private final List<Line> lines = new ArrayList<>();

  private Plan() {}

  static List<Line> of(Wanted wanted, Figures figures) {
    Plan plan = new Plan();
    // µs of CPU a flow to merge sealed segments.
    double compaction = 1 / figures.get("compacted_rate") - 1 / figures.get("sealed_rate");
    double slots = plan.job(wanted, figures, compaction);
    plan.storage(wanted, figures, compaction, slots);
    return plan.lines;
  }

  /** Returns the slots. */
  private double job(Wanted wanted, Figures figures, double compaction) {
    double million = wanted.flows() / 1e6; // a core gives a million µs a second
    double analyses = analyses(wanted.analyses(), figures);
    double archive = figures.get("archived") - figures.get("read");
    double job = million * (analyses + archive + compaction) * wanted.headroom();
    double slots = Math.max(1, Math.ceil(job));
    add(
        "job_cores",
        job,
        "",
        "(%.2f+%.2f+%.2f) us a flow, x %s",
        analyses,
        archive,
        compaction,
        wanted.headroom());
    add("slots", slots, "", "one for each core of the job");
    add(
        "task_managers",
        Math.ceil(slots / wanted.slotsOfTaskManager()),
        "",
        "%d slots each",
        wanted.slotsOfTaskManager());
    add(
        "task_manager_memory",
        slots * figures.get("slot_gib"),
        "GiB",
        "%.3g GiB of heap a slot, in all",
        figures.get("slot_gib"));
    add(
        "collector_cores",
        million * figures.get("collector") * wanted.headroom(),
        "",
        "%.2f us a flow, x %s",
        figures.get("collector"),
        wanted.headroom());
    add(
        "broker_cores",
        million * figures.get("broker") * wanted.headroom(),
        "",
        "%.2f us, one replica, x %s",
        figures.get("broker"),
        wanted.headroom());
    add("partitions", slots * 2, "", "two for each slot");
    add(
        "kafka_rate",
        wanted.flows() * figures.get("message_bytes") / 1e6,
        "MB/s",
        "%.4g bytes a flow, before lz4",
        figures.get("message_bytes"));
    add(
        "kafka_day",
        wanted.flows() * figures.get("message_bytes") * DAY / 1e12,
        "TB",
        "a day of one replica");
    return slots;
  }

  private void storage(Wanted wanted, Figures figures, double compaction, double slots) {
    double perDay = wanted.flows() * DAY / SEGMENT_ROWS;
    double segments = perDay * wanted.days();
    double threads = wanted.flows() / 1e6 * compaction * wanted.headroom();
    double archives = Math.max(1, Math.ceil(Math.max(segments / MOST_SEGMENTS, threads)));
    double bytes = wanted.flows() * DAY * wanted.days() * figures.get("disk_bytes");
    add(
        "disk",
        bytes / 1e12,
        "TB",
        "%.4g bytes a flow, %d days",
        figures.get("disk_bytes"),
        wanted.days());
    add("segments_a_day", perDay, "", "4,000,000 flows each, compacted");
    add("segments", segments, "", "of %d days, in all archives", wanted.days());
    add("archives", archives, "", "1,000,000 segments, one merger");
    add("committers", archives, "", "one for each archive");
    add(
        "manifest",
        segments / archives * figures.get("entry_bytes") / 1e6,
        "MB",
        "%.4g bytes a segment, of each",
        figures.get("entry_bytes"));
    add(
        "manifest_heap",
        segments / archives / 1e6 * figures.get("entries_mib"),
        "MiB",
        "%.4g MiB a million segments",
        figures.get("entries_mib"));
    double checkpoints = MONTH / wanted.checkpointSeconds();
    double small = slots * checkpoints * FILES_OF_A_SEGMENT;
    double puts = small + 2 * archives * checkpoints + FILES_OF_A_SEGMENT * perDay * 30;
    add("s3_puts", puts, "a month", "2 files a slot, each %.4g s", wanted.checkpointSeconds());
    add("s3_gets", 2 * small, "a month", "length, then read to merge");
    Prices prices = wanted.prices();
    add(
        "s3_storage_cost",
        bytes / 1e9 * prices.gigabyteMonth(),
        "USD a month",
        "USD %.4g a GB, when full",
        prices.gigabyteMonth());
    add(
        "s3_request_cost",
        puts / 1000 * prices.thousandPuts() + 2 * small / 1000 * prices.thousandGets(),
        "USD a month",
        "USD %.4g, %.4g a 1,000",
        prices.thousandPuts(),
        prices.thousandGets());
  }

  /** µs of CPU a flow, with reading it. */
  private static double analyses(List<String> names, Figures figures) {
    return names.contains("none")
        ? figures.get("read")
        : names.contains("all")
            ? figures.get("read") + figures.get("all")
            : names.stream().mapToDouble(figures::get).sum();
  }

  private void add(String name, double value, String unit, String from, Object... values) {
    lines.add(new Line(name, value, unit, String.format(Locale.ROOT, from, values)));
  }
}
