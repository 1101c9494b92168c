package org.flowmon.deploy.serve.job;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.deploy.replay.ReplayListener;
import org.flowmon.deploy.serve.http.AnswerStream;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.report.Report;

/**
 * The lines of a replay: an object with one member each, {@code report}, {@code progress}, and at
 * last {@code end} or {@code error}. Reports wait in a short queue, so that a client that reads
 * slowly slows the replay down; the request's thread writes.
 */
final class ReplayLines implements ReplayListener, AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int WAITING = 64;
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final AnswerStream out;
  private final long from;
  private final long to;
  private final BlockingQueue<Report> waiting = new ArrayBlockingQueue<>(WAITING);
  private final AtomicLong flows = new AtomicLong();
  private final AtomicLong late = new AtomicLong();
  private final AtomicLong through;
  private final long begun = System.nanoTime();
  private volatile boolean isOver;
  private long told = begun - PROGRESS_NANOS;
  private long reports;
  private long rows;

  /** Of windows in [from, to), in microseconds. */
  ReplayLines(AnswerStream out, long from, long to) {
    this.out = out;
    this.from = from;
    this.to = to;
    this.through = new AtomicLong(from);
  }

  @Override
  public void report(Report report) {
    try {
      while (!isOver && !waiting.offer(report, PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
        // the client reads
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the replay is ended
    }
  }

  @Override
  public void flows(long count, long lateOfThem) {
    flows.addAndGet(count);
    late.addAndGet(lateOfThem);
  }

  @Override
  public void through(long micros) {
    through.accumulateAndGet(Math.min(micros, to), Math::max);
  }

  /** How long to wait before the next {@link #write}: not at all if there is something. */
  Duration pause() {
    return waiting.isEmpty() ? PAUSE : Duration.ZERO;
  }

  /**
   * Writes the reports that wait, at most so many, as a replay may be faster than this, and, twice
   * a second, the progress.
   */
  void write() throws IOException {
    List<Report> ready = new ArrayList<>();
    waiting.drainTo(ready, WAITING);
    for (Report report : ready) {
      reports++;
      rows += report.rows().rowCount();
      line("report", ReportsEndpoint.report(ReportStore.Kept.of(report)));
    }
    if (System.nanoTime() - told >= PROGRESS_NANOS) {
      told = System.nanoTime();
      line("progress", counts());
      out.send();
    }
  }

  void end() throws IOException {
    line("end", counts());
    out.end();
  }

  void fail(Problem problem) throws IOException {
    ObjectNode error = JSON.createObjectNode();
    error.put("status", problem.code().status());
    error.put("code", problem.code().toString());
    error.put("detail", problem.detail());
    line("error", error);
    out.end();
  }

  long reports() {
    return reports;
  }

  private ObjectNode counts() {
    long at = through.get();
    ObjectNode counts = JSON.createObjectNode();
    counts.put("through", FlowTime.text(at));
    counts.put("share", (at - from) / (double) (to - from));
    counts.put("reports", reports);
    counts.put("rows", rows);
    counts.put("flows", flows.get());
    counts.put("late_flows", late.get());
    counts.put("seconds", (System.nanoTime() - begun) / 1e9);
    return counts;
  }

  private void line(String member, ObjectNode value) throws IOException {
    ObjectNode line = JSON.createObjectNode();
    line.set(member, value);
    out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** The replay's threads wait for nobody any more. */
  @Override
  public void close() {
    isOver = true;
  }
}
