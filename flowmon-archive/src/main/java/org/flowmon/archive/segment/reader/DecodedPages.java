package org.flowmon.archive.segment.reader;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.flow.memory.HeapBudget;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of this process's decoded pages. The oldest is evicted first, unless used since
 * its last turn. A page is found in its column's own slots, without a lock; its holder may use it
 * indefinitely. A general cache would need a key and a hash look-up for each read of a value.
 */
public final class DecodedPages {
  static final DecodedPages SHARED = new DecodedPages(HeapBudget.Part.DECODED_PAGES.bytes());

  private record Kept(AtomicReferenceArray<DecodedPage> slots, int slot, DecodedPage page) {}

  private final long maxBytes;
  private final ArrayDeque<Kept> kept = new ArrayDeque<>();
  private long bytes;
  private long decoded;

  DecodedPages(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Whether a dictionary of so many bytes leaves room for pages; else it is kept elsewhere. */
  boolean hasRoomFor(long dictionaryBytes) {
    return dictionaryBytes <= Math.min(SegmentFormat.MAX_DECODED_DICTIONARY, maxBytes / 4);
  }

  /** The page in a slot, null if it is not there. */
  static @Nullable DecodedPage find(AtomicReferenceArray<DecodedPage> slots, int slot) {
    DecodedPage page = slots.get(slot);
    if (page != null && !page.used) {
      page.used = true;
    }
    return page;
  }

  /** Puts a page into its slot. One that alone exceeds the bound stays until the next comes. */
  synchronized void keep(AtomicReferenceArray<DecodedPage> slots, int slot, DecodedPage page) {
    decoded++;
    if (!slots.compareAndSet(slot, null, page)) {
      return; // another thread decoded it, too
    }
    page.used = true;
    kept.add(new Kept(slots, slot, page));
    bytes += page.bytes();
    while (bytes > maxBytes && kept.size() > 1) {
      Kept oldest = kept.poll();
      if (oldest.page.used) {
        oldest.page.used = false;
        kept.add(oldest);
        continue;
      }
      drop(oldest);
    }
  }

  private void drop(Kept old) {
    old.slots.compareAndSet(old.slot, old.page, null);
    bytes -= old.page.bytes();
  }

  synchronized void forget(AtomicReferenceArray<DecodedPage> slots) {
    kept.removeIf(
        k -> {
          if (k.slots == slots) {
            drop(k);
            return true;
          }
          return false;
        });
  }

  synchronized void countElsewhere() {
    decoded++;
  }

  /** Number of decodings of cacheable pages, including repeated ones. */
  synchronized long decoded() {
    return decoded;
  }
}
