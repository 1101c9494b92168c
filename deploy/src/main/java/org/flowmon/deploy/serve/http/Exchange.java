package org.flowmon.deploy.serve.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.flowmon.deploy.serve.access.Caller;
import org.flowmon.deploy.serve.lane.Lane;
import org.flowmon.deploy.serve.lane.Lanes;
import org.flowmon.ingest.text.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer. One thread at a time works on it; it may move to another lane, and is
 * answered once.
 */
public final class Exchange {
  public static final String JSON = "application/json";

  /** Bytes of a request's body. */
  public static final int MAX_BODY = 4 << 20;

  private static final ObjectMapper MAPPER = JsonBodies.MAPPER;

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final Lanes lanes;
  private final AuditLog audit;
  private final Caller caller;
  private final Fields fields;
  private final byte[] body;
  private final long began = System.nanoTime();
  private final Map<String, Object> audited = new LinkedHashMap<>();
  private volatile ClientWatch.@Nullable Watched watched;
  private @Nullable Queued queued; // by whoever holds the monitor
  private volatile Lane lane;
  private long deadline;
  private long waited;
  private @Nullable AnswerStream stream;
  private @Nullable String queryText;
  private @Nullable Move move;
  private int status;

  Exchange(
      Request request,
      Response response,
      Callback callback,
      Lanes lanes,
      AuditLog audit,
      Caller caller,
      Route route,
      Fields fields,
      byte[] body) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.lanes = lanes;
    this.audit = audit;
    this.caller = caller;
    this.fields = fields;
    this.body = body;
    this.lane = route.lane();
    this.deadline = began + Duration.ofMinutes(1).toNanos();
  }

  public Caller caller() {
    return caller;
  }

  /** The parameters of path and query. */
  public Fields fields() {
    return fields;
  }

  /** The members of the request's body, which must be an object. */
  public JsonBodies body() {
    return JsonBodies.parse(body);
  }

  public Optional<String> header(String name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  /** The ETag of the answer. */
  public void tag(String tag) {
    response.getHeaders().put(HttpHeader.ETAG, tag);
  }

  public Lane lane() {
    return lane;
  }

  public Lanes lanes() {
    return lanes;
  }

  /** Adds to the line of the audit. */
  public void audit(String name, @Nullable Object value) {
    if (value != null) {
      audited.put(name, value);
    }
  }

  /** The text that positions of errors are in. */
  public void queryText(String text) {
    queryText = text;
    audit("sql", text);
  }

  /** Limits the time of the whole exchange, waiting included. */
  public void limit(Duration time) {
    deadline = began + time.toNanos();
  }

  /** At least 0. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /** Whether nobody waits for the answer. Fast: it is asked for every block of work. */
  public boolean isGone() {
    ClientWatch.Watched watch = watched;
    return watch != null && watch.isGone();
  }

  /** Throws if nobody waits for the answer, or its time is over. */
  public void check() {
    if (isGone()) {
      throw new Problem(Problem.Code.CANCELLED, "the client has gone");
    }
    if (System.nanoTime() > deadline) {
      throw new Problem(
          Problem.Code.TIME_LIMIT, "the time of the request is over; the client reads too slowly");
    }
  }

  // ---- Threads ---------------------------------------------------------------------------------

  void watch(ClientWatch.Watched one) {
    watched = one;
  }

  /** The client has gone: what still waits does so no longer. */
  void gone() {
    Queued task = queued();
    if (task != null && take(task)) {
      lanes.remove(lane, task);
      end(499);
      callback.failed(new IOException("the client has gone"));
    }
  }

  /** Queues the work; throws a {@link Problem} if the lane is full. */
  void submit(Lane in, Endpoint endpoint) {
    lane = in;
    Queued task = new Queued(endpoint);
    queued(task);
    if (!lanes.submit(in, task) && take(task)) {
      throw Problem.later(
          Problem.Code.TOO_MANY_QUERIES,
          in == Lane.REPLAY
              ? "a replay runs already, and one runs at a time; try again when it has ended"
              : Lanes.WAITING + " requests wait already; try again later",
          in == Lane.SMALL ? 1 : 10);
    }
  }

  /** Goes on in another lane, after the endpoint that calls this has returned. */
  public void move(Lane to, Endpoint endpoint) {
    move = new Move(to, endpoint);
  }

  private record Move(Lane to, Endpoint endpoint) {}

  private synchronized @Nullable Queued queued() {
    return queued;
  }

  private synchronized void queued(Queued task) {
    queued = task;
  }

  /** Returns whether it still waited: of its thread and {@link #gone} one takes it. */
  private synchronized boolean take(Queued task) {
    boolean isHere = queued == task;
    if (isHere) {
      queued = null;
    }
    return isHere;
  }

  /** Work that waits. */
  private final class Queued implements Runnable {
    private final Endpoint endpoint;
    private final long since = System.nanoTime();

    Queued(Endpoint endpoint) {
      this.endpoint = endpoint;
    }

    @Override
    public void run() {
      if (take(this)) {
        waited += System.nanoTime() - since;
        Exchange.this.run(endpoint);
      }
    }
  }

  private void run(Endpoint endpoint) {
    try {
      if (System.nanoTime() > deadline) {
        throw new Problem(
            Problem.Code.TIME_LIMIT,
            "the time of the request was over before other queries left room for it");
      }
      endpoint.answer(this);
      Move further = move;
      if (further != null) {
        move = null;
        submit(further.to, further.endpoint);
        return; // another thread may have it now
      }
      if (status == 0) {
        throw new IllegalStateException("no answer to " + request.getHttpURI().getPath());
      }
      end(status);
    } catch (Throwable e) {
      problem(Problems.of(e, Optional.ofNullable(queryText)));
    }
  }

  private void end(int with) {
    ClientWatch.Watched watch = watched;
    if (watch != null) {
      watch.close();
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", Instant.now().toString());
    line.put("client", Request.getRemoteAddr(request));
    line.put("who", caller.name());
    line.put("role", caller.role().toString());
    line.put("method", request.getMethod());
    line.put("path", request.getHttpURI().getPath());
    line.put("status", with);
    line.put("lane", lane.toString());
    line.put("milliseconds", (System.nanoTime() - began) / 1_000_000.0);
    line.put("waited_milliseconds", waited / 1_000_000.0);
    if (stream != null) {
      line.put("bytes", stream.bytes());
    }
    line.putAll(audited);
    audit.write(line);
  }

  // ---- Answers ---------------------------------------------------------------------------------

  /** The body of an answer with status 200; to be ended. */
  public AnswerStream stream(String contentType) {
    return stream(200, contentType);
  }

  private AnswerStream stream(int with, String contentType) {
    status = with;
    response.setStatus(with);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
    AnswerStream made = new AnswerStream(this, response, callback);
    stream = made;
    return made;
  }

  /** Writes a tree of maps, lists and plain values as JSON. */
  public void json(int with, Object tree) throws IOException {
    AnswerStream out = stream(with, JSON);
    MAPPER.writeValue(out, tree);
    out.write('\n');
    out.end();
  }

  /** Answers that it is so, without a body. */
  public void done() throws IOException {
    status = 204;
    response.setStatus(204);
    response.write(true, ByteBuffer.allocate(0), callback);
  }

  /** Writes JSON. */
  @FunctionalInterface
  public interface JsonWriter {
    void write(JsonGenerator json) throws IOException;
  }

  public void json(JsonWriter writer) throws IOException {
    AnswerStream out = stream(JSON);
    try (JsonGenerator json = JsonText.factory().createGenerator(out)) {
      writer.write(json);
      json.writeRaw('\n');
    }
    out.end();
  }

  /** Why work failed, for answers that say so in their own way; the audit has it. */
  public Problem problemOf(RuntimeException failure) {
    Problem problem = Problems.of(failure, Optional.ofNullable(queryText));
    audited(problem);
    return problem;
  }

  private void audited(Problem problem) {
    audit("code", problem.code().toString());
    audit("detail", problem.detail());
  }

  void problem(Problem problem) {
    audited(problem);
    AnswerStream begun = stream;
    if (begun != null && begun.isSent()) {
      end(problem.code().status());
      begun.abort(problem);
      return;
    }
    stream = null;
    end(problem.code().status());
    write(problem, response, callback);
  }

  /** Writes a problem as the whole answer. */
  static void write(Problem problem, Response response, Callback callback) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("type", "about:blank");
    json.put("title", problem.code().title());
    json.put("status", problem.code().status());
    json.put("code", problem.code().toString());
    json.put("detail", problem.detail());
    problem
        .place()
        .ifPresent(
            place -> {
              json.put("position", place.position());
              json.put("line", place.line());
              json.put("column", place.column());
            });
    problem
        .retryAfter()
        .ifPresent(
            seconds -> {
              json.put("retry_after", seconds);
              response.getHeaders().put(HttpHeader.RETRY_AFTER, seconds);
            });
    String path = response.getRequest().getHttpURI().getPath();
    if (Problems.isCatalog(path)) {
      Problems.addCatalogError(problem, path, json);
    }
    response.setStatus(problem.code().status());
    response.getHeaders().remove(HttpHeader.CONTENT_LENGTH);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/problem+json");
    byte[] text = (json + "\n").getBytes(StandardCharsets.UTF_8);
    response.write(true, ByteBuffer.wrap(text), callback);
  }
}
