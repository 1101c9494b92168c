package org.flowmon.deploy.serve.http;

import java.io.ByteArrayOutputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * Reads the body of a request without a thread that waits.
 *
 * <p>A body that is refused is read and dropped before the answer, within a bound: if a server
 * closes a connection with unread bytes, it resets it, and the client may lose the answer.
 */
final class RequestBody implements Invocable.Task {
  /** What is dropped of a body that nobody wants; a larger one may lose its answer. */
  private static final int MAX_DROPPED = 16 << 20;

  /** Gets a body; one of its methods is called, once. */
  interface Taker {
    void taken(byte[] body);

    void tooLarge();

    /** The client has gone. */
    void failed(Throwable why);
  }

  private final Request request;
  private final Taker taker;
  private final int limit;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private long dropped;

  private RequestBody(Request request, int limit, Taker taker) {
    this.request = request;
    this.limit = limit;
    this.taker = taker;
  }

  /** Reads at most {@code limit} bytes. */
  static void read(Request request, int limit, Taker taker) {
    if (request.getLength() > limit) {
      taker.tooLarge();
    } else {
      new RequestBody(request, limit, taker).run();
    }
  }

  /** Drops what is unread, and then runs {@code then}. */
  static void discard(Request request, Runnable then) {
    boolean isNotSent = request.getHeaders().contains(HttpHeader.EXPECT); // until it is asked for
    if (isNotSent || request.getLength() > MAX_DROPPED) {
      then.run();
      return;
    }
    Taker ignored =
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
    new RequestBody(request, 0, ignored).run();
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
      keep(chunk);
      boolean isLast = chunk.isLast();
      chunk.release();
      if (isLast || dropped > MAX_DROPPED) {
        if (dropped > 0) {
          taker.tooLarge();
        } else {
          taker.taken(kept.toByteArray());
        }
        return;
      }
    }
  }

  private void keep(Content.Chunk chunk) {
    int size = chunk.remaining();
    if (dropped > 0 || kept.size() + size > limit) {
      dropped += size;
    } else {
      byte[] bytes = new byte[size];
      chunk.get(bytes, 0, size);
      kept.writeBytes(bytes);
    }
  }
}
