package org.flowmon.deploy.serve.http;

import java.io.ByteArrayOutputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/** Reads the body of a request without a thread that waits. */
final class RequestBody implements Invocable.Task {
  /** A refused body with more than this may lose its answer. */
  private static final int MAX_DROPPED = 16 << 20;

  /** Gets a body; one of its methods is called, once. */
  interface Taker {
    void taken(byte[] body);

    void tooLarge();

    /** The client has gone. */
    void failed(Throwable why);
  }

  private final Request request;
  private final int limit;
  private final @Nullable ByteArrayOutputStream kept; // null to drop the body
  private final Taker taker;
  private long count;

  private RequestBody(
      Request request, int limit, @Nullable ByteArrayOutputStream kept, Taker taker) {
    this.request = request;
    this.limit = limit;
    this.kept = kept;
    this.taker = taker;
  }

  /** Reads at most {@code limit} bytes; what is beyond stays unread. */
  static void read(Request request, int limit, Taker taker) {
    if (request.getLength() > limit) {
      taker.tooLarge();
    } else {
      new RequestBody(request, limit, new ByteArrayOutputStream(), taker).run();
    }
  }

  /**
   * Drops what is unread, within a bound, and then runs {@code then}. If a server closes a
   * connection with unread bytes, it resets it, and the client may lose the answer.
   */
  static void discard(Request request, Runnable then) {
    boolean isNotSent = request.getHeaders().contains(HttpHeader.EXPECT); // until it is asked for
    if (isNotSent || request.getLength() > MAX_DROPPED) {
      then.run();
      return;
    }
    Taker any =
        new Taker() {
          @Override
          public void taken(byte[] body) {
            then.run();
          }

          @Override
          public void tooLarge() {
            then.run();
          }

          @Override
          public void failed(Throwable why) {
            then.run();
          }
        };
    new RequestBody(request, MAX_DROPPED, null, any).run();
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public void run() {
    while (true) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        taker.failed(chunk.getFailure());
        return;
      }
      count += chunk.remaining();
      if (count <= limit && kept != null) {
        byte[] bytes = new byte[chunk.remaining()];
        chunk.get(bytes, 0, bytes.length);
        kept.writeBytes(bytes);
      }
      boolean isLast = chunk.isLast();
      chunk.release();
      if (count > limit) {
        taker.tooLarge();
        return;
      }
      if (isLast) {
        taker.taken(kept == null ? new byte[0] : kept.toByteArray());
        return;
      }
    }
  }
}
