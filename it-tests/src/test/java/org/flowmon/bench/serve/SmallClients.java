package org.flowmon.bench.serve;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.flowmon.bench.harness.Samples;

/** Clients that send small requests in turn, each one after the other, and time each. */
final class SmallClients {
  private final URI server;
  private final List<Asked> requests;
  private final int clients;
  private final Map<String, List<Double>> millis = new LinkedHashMap<>();
  private int first;

  SmallClients(URI server, List<Asked> requests, int clients) {
    this.server = server;
    this.requests = requests;
    this.clients = clients;
    requests.forEach(asked -> millis.putIfAbsent(asked.kind(), new ArrayList<>()));
  }

  /** What one client does until it returns, from the time of its begin. */
  private interface Work {
    void run(int client, long begin) throws IOException;
  }

  /** Asks so long, each when the one before is answered. */
  void closed(long nanos) throws IOException {
    each(
        (client, begin) -> {
          int i = first + client;
          do { // at least once, on a machine as busy as it may be
            ask(i, System.nanoTime());
            i += clients;
          } while (System.nanoTime() - begin < nanos);
        });
  }

  /**
   * Asks so many times a second. Time counts from when a request is due: one that waits for the one
   * before is late.
   */
  void open(long nanos, double perSecond) throws IOException {
    each(
        (client, begin) -> {
          for (int i = client; i / perSecond * 1e9 < nanos; i += clients) {
            long due = begin + (long) (i / perSecond * 1e9);
            while (System.nanoTime() < due) {
              LockSupport.parkNanos(due - System.nanoTime());
            }
            ask(first + i, due);
          }
        });
  }

  private void each(Work work) throws IOException {
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      long begin = System.nanoTime();
      List<Future<?>> running = new ArrayList<>();
      for (int c = 0; c < clients; c++) {
        int client = c;
        running.add(
            threads.submit(
                () -> {
                  work.run(client, begin);
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
      first = all().size(); // other hosts than before
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      threads.shutdownNow();
    }
  }

  private void ask(int request, long since) throws IOException {
    Asked asked = requests.get(request % requests.size());
    long unused = asked.ask(server);
    double took = (System.nanoTime() - since) / 1e6;
    synchronized (millis) {
      millis.get(asked.kind()).add(took);
    }
  }

  Samples all() {
    return Samples.of(millis.values().stream().flatMap(List::stream).toList());
  }

  Samples of(String kind) {
    return Samples.of(millis.get(kind));
  }

  List<String> kinds() {
    return List.copyOf(millis.keySet());
  }
}
