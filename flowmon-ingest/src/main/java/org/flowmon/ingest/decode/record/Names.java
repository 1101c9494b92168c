package org.flowmon.ingest.decode.record;

import java.util.Arrays;
import org.flowmon.flow.TableHash;
import org.jspecify.annotations.Nullable;

/** Names by number, as an exporter's options data give them. */
public final class Names {
  private static final byte[][] NONE = {};

  // Open addressing; at most half full. The name of a free place is absent.
  private long[] keys = {};
  private byte[] @Nullable [] names = NONE;
  private int size;

  public boolean isEmpty() {
    return size == 0;
  }

  public int size() {
    return size;
  }

  /** Null if there is none. */
  public byte @Nullable [] get(long key) {
    return size == 0 ? null : names[place(key)];
  }

  /** The caller has made room for a new one. */
  public void put(long key, byte[] name) {
    if (2 * (size + 1) > keys.length) {
      grow();
    }
    int place = place(key);
    size += names[place] == null ? 1 : 0;
    keys[place] = key;
    names[place] = name;
  }

  private int place(long key) {
    int mask = keys.length - 1;
    int place = (int) TableHash.of(key) & mask;
    while (names[place] != null && keys[place] != key) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private void grow() {
    long[] oldKeys = keys;
    byte[] @Nullable [] oldNames = names;
    keys = new long[Math.max(8, 2 * oldKeys.length)];
    names = Arrays.copyOf(NONE, keys.length);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldNames[i] != null) {
        int place = place(oldKeys[i]);
        keys[place] = oldKeys[i];
        names[place] = oldNames[i];
      }
    }
  }
}
