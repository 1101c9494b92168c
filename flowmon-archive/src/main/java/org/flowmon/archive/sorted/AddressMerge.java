package org.flowmon.archive.sorted;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.flowmon.flow.IpAddress;

/** Merges address streams, the one with the least first. A heap; not thread-safe. */
public final class AddressMerge<S extends AddressStream> {
  private final List<S> heap = new ArrayList<>();

  public AddressMerge(Collection<S> streams) {
    for (S stream : streams) {
      if (stream.next()) {
        heap.add(stream);
      }
    }
    for (int i = heap.size() / 2 - 1; i >= 0; i--) {
      sink(i);
    }
  }

  public boolean isEmpty() {
    return heap.isEmpty();
  }

  public S first() {
    return heap.get(0);
  }

  /** Whether a stream is at this address, which is at most the least one. */
  public boolean isAt(long high, long low) {
    return !heap.isEmpty() && first().high() == high && first().low() == low;
  }

  public void advance() {
    if (!first().next()) {
      S last = heap.remove(heap.size() - 1);
      if (heap.isEmpty()) {
        return;
      }
      heap.set(0, last);
    }
    sink(0);
  }

  private void sink(int start) {
    S moved = heap.get(start);
    int at = start;
    while (2 * at + 1 < heap.size()) {
      int child = 2 * at + 1;
      if (child + 1 < heap.size() && compare(heap.get(child + 1), heap.get(child)) < 0) {
        child++;
      }
      if (compare(moved, heap.get(child)) <= 0) {
        break;
      }
      heap.set(at, heap.get(child));
      at = child;
    }
    heap.set(at, moved);
  }

  private static int compare(AddressStream a, AddressStream b) {
    return IpAddress.compare(a.high(), a.low(), b.high(), b.low());
  }
}
