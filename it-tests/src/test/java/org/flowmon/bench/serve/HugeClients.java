package org.flowmon.bench.serve;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.flowmon.deploy.command.CommandException;

/** Clients that ask for huge queries, each again when it has its answer. */
final class HugeClients implements AutoCloseable {
  private final Set<HttpURLConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicReference<String> failed = new AtomicReference<>("");
  private volatile boolean isEnded;

  HugeClients(URI server, List<Asked> queries, int clients) {
    for (int i = 0; i < clients; i++) {
      int first = i;
      Thread thread = new Thread(() -> run(server, queries, first), "bench-huge-" + i);
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void run(URI server, List<Asked> queries, int first) {
    for (int i = first; !isEnded; i++) {
      try {
        Asked query = queries.get(i % queries.size());
        HttpURLConnection connection = query.open(server);
        open.add(connection);
        long unused = query.ask(connection);
        open.remove(connection);
        answered.incrementAndGet();
      } catch (IOException | CommandException e) {
        failed.compareAndSet("", isEnded ? "" : String.valueOf(e.getMessage()));
        return;
      }
    }
  }

  int answered() {
    return answered.get();
  }

  /** What ended a client; empty if all go on. */
  String failed() {
    return failed.get();
  }

  /** Goes away: the server ends their queries. */
  @Override
  public void close() {
    isEnded = true;
    open.forEach(HttpURLConnection::disconnect);
  }
}
