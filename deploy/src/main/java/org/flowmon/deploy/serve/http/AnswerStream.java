package org.flowmon.deploy.serve.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.flowmon.flow.memory.HeapBudget;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer. Its writer goes on while the client reads; it waits only if the client is
 * {@value #WAITING} bytes behind, or all clients together hold {@link HeapBudget.Part#ANSWERS}. So
 * the thread of a query is free as soon as the answer is made, however slow the client is.
 *
 * <p>Nothing is sent before the first {@value #CHUNK} bytes or the end, so that errors up to then
 * have a status of their own.
 */
public final class AnswerStream extends OutputStream {
  static final int CHUNK = 1 << 15;
  private static final int WAITING = 1 << 20;
  private static final long LOOK_MILLIS = 100;

  /** Of all answers of this process. */
  private static final AtomicLong HELD = new AtomicLong();

  private final Response response;
  private final Exchange exchange;
  private final Sender sender;
  private final Deque<ByteBuffer> chunks = new ArrayDeque<>();
  private byte[] chunk = new byte[CHUNK];
  private int filled;
  private long waiting; // bytes in chunks, and of the chunk that is sent
  private long bytes;
  private boolean isSent; // anything
  private boolean isEnded;
  private @Nullable Throwable failure;

  AnswerStream(Exchange exchange, Response response, Callback callback) {
    this.exchange = exchange;
    this.response = response;
    this.sender = new Sender(callback);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    int at = offset;
    int left = length;
    while (left > 0) {
      int part = Math.min(left, CHUNK - filled);
      System.arraycopy(from, at, chunk, filled, part);
      filled += part;
      at += part;
      left -= part;
      if (filled == CHUNK) {
        send();
      }
    }
    bytes += length;
  }

  /** Whether a part was sent: then the status cannot change any more. */
  boolean isSent() {
    return isSent;
  }

  long bytes() {
    return bytes;
  }

  /** Sends what there is, once there is room; only parts that a reader waits for need it. */
  public void send() throws IOException {
    if (filled == 0) {
      return;
    }
    ByteBuffer full = ByteBuffer.wrap(chunk, 0, filled);
    synchronized (this) {
      awaitRoom();
      chunks.add(full);
      waiting += filled;
      HELD.addAndGet(filled);
      isSent = true;
    }
    chunk = new byte[CHUNK];
    filled = 0;
    sender.iterate();
  }

  private void awaitRoom() throws IOException {
    while (failure == null
        && waiting > 0
        && (waiting + filled > WAITING || HELD.get() > HeapBudget.Part.ANSWERS.bytes())) {
      exchange.check();
      try {
        wait(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("the server ends");
      }
    }
    if (failure != null) {
      throw new IOException("the client does not read", failure);
    }
  }

  /** Does nothing: an answer whose writer failed has no end. */
  @Override
  public void close() {}

  /** The end of the answer; what is not sent yet is sent by other threads. */
  public void end() throws IOException {
    if (!isSent) {
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, filled);
    }
    send();
    synchronized (this) {
      isEnded = true;
    }
    sender.iterate();
  }

  /** Ends the connection: the answer has no end, which clients notice. */
  void abort(Throwable why) {
    boolean unused = sender.abort(why);
  }

  private synchronized @Nullable ByteBuffer next() {
    return chunks.poll();
  }

  private synchronized void sent(int length) {
    waiting -= length;
    HELD.addAndGet(-length);
    notifyAll();
  }

  /** What waits is dropped: the client does not read it any more. */
  private synchronized void drop(Throwable why) {
    failure = why;
    HELD.addAndGet(-waiting);
    waiting = 0;
    chunks.clear();
    notifyAll();
  }

  /** Sends one chunk after the other, without a thread of its own. */
  private final class Sender extends IteratingCallback {
    private final Callback callback;
    private int length; // of the chunk that is sent
    private boolean isLast;

    Sender(Callback callback) {
      this.callback = callback;
    }

    @Override
    protected Action process() {
      if (isLast) {
        return Action.SUCCEEDED;
      }
      ByteBuffer next;
      synchronized (AnswerStream.this) {
        next = next();
        if (next == null && !isEnded) {
          return Action.IDLE;
        }
        isLast = isEnded && chunks.isEmpty();
      }
      length = next == null ? 0 : next.remaining();
      response.write(isLast, next == null ? BufferUtil.EMPTY_BUFFER : next, this);
      return Action.SCHEDULED;
    }

    @Override
    protected void onSuccess() {
      sent(length);
    }

    @Override
    protected void onCompleteSuccess() {
      callback.succeeded();
    }

    @Override
    protected void onCompleteFailure(Throwable why) {
      drop(why);
      callback.failed(why);
    }
  }
}
