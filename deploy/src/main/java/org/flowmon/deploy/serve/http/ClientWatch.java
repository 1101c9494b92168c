package org.flowmon.deploy.serve.http;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notices clients that go while their query runs. A server that neither reads nor writes is not
 * told of it; so this looks, every {@value #LOOK_MILLIS} ms, whether a connection can be read
 * although nothing came: that is its end. It reads nothing, so a request that follows stays where
 * it is.
 */
final class ClientWatch implements AutoCloseable {
  private static final long LOOK_MILLIS = 100;

  // The end of a TLS connection says so in a record of 24 to 31 bytes; no request is that short.
  private static final int TLS_END = 48;

  private final Selector selector;
  private final Set<Watched> all = ConcurrentHashMap.newKeySet();
  private final Map<Watched, SelectionKey> keys = new HashMap<>(); // of the thread
  private final Thread thread = new Thread(this::run, "serve-watch");
  private volatile boolean isClosed;

  ClientWatch() throws IOException {
    selector = Selector.open();
    thread.setDaemon(true);
    thread.start();
  }

  /** One connection while a request of it is answered. */
  final class Watched implements AutoCloseable {
    private final SocketChannel channel;
    private final int end;
    private final Runnable onGone;
    private volatile boolean isGone;

    private Watched(SocketChannel channel, int end, Runnable onGone) {
      this.channel = channel;
      this.end = end;
      this.onGone = onGone;
    }

    boolean isGone() {
      return isGone;
    }

    private void gone() {
      isGone = true;
      all.remove(this);
      onGone.run();
    }

    @Override
    public void close() {
      all.remove(this);
    }
  }

  /** {@code onGone} runs on this watch's thread, once. */
  Watched watch(SocketChannel channel, boolean isTls, Runnable onGone) {
    Watched watched = new Watched(channel, isTls ? TLS_END : 0, onGone);
    all.add(watched);
    return watched;
  }

  private void run() {
    while (!isClosed) {
      try {
        Thread.sleep(LOOK_MILLIS);
        look();
      } catch (InterruptedException e) {
        return;
      } catch (IOException | ClosedSelectorException e) {
        isClosed = true; // the selector is gone: queries go on to their time limit
      }
    }
  }

  private void look() throws IOException {
    keys.entrySet()
        .removeIf(
            one -> {
              boolean isDone = !all.contains(one.getKey());
              if (isDone) {
                one.getValue().cancel();
              }
              return isDone;
            });
    select(); // also forgets cancelled keys, so that the same connection can be watched again
    for (Watched one : all) {
      if (!keys.containsKey(one)) {
        try {
          keys.put(one, one.channel.register(selector, SelectionKey.OP_READ, one));
        } catch (ClosedChannelException e) {
          one.gone();
        } catch (CancelledKeyException e) {
          // Next time.
        }
      }
    }
    select();
  }

  private void select() throws IOException {
    int unused = selector.selectNow();
    for (SelectionKey key : selector.selectedKeys()) {
      Watched one = (Watched) key.attachment();
      if (key.isValid() && isAtEnd(one)) {
        one.gone();
      }
    }
    selector.selectedKeys().clear();
  }

  /** Of a connection that can be read. */
  private static boolean isAtEnd(Watched one) {
    try {
      return one.channel.socket().getInputStream().available() <= one.end;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    isClosed = true;
    thread.interrupt();
    selector.close();
  }
}
