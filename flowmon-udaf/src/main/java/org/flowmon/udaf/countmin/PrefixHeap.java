package org.flowmon.udaf.countmin;

import java.util.Arrays;

/**
 * Prefixes still to expand: the largest bound first, then the longest prefix, then the smallest.
 * Without objects, as a search may have a million of them.
 */
final class PrefixHeap {
  // A prefix has at most 32 bits; its level is stored above them.
  private static final int LEVEL_SHIFT = 32;
  private static final int TOP_LEVEL = 255;

  private long[] bounds = new long[256];
  private long[] nodes = new long[256];
  private int size;
  private long bound;
  private long node;

  void push(long newBound, int level, long prefix) {
    if (size == bounds.length) {
      bounds = Arrays.copyOf(bounds, 2 * size);
      nodes = Arrays.copyOf(nodes, 2 * size);
    }
    long newNode = (long) (TOP_LEVEL - level) << LEVEL_SHIFT | prefix;
    int at = size++;
    while (at > 0) {
      int parent = (at - 1) / 2;
      if (!isBefore(newBound, newNode, bounds[parent], nodes[parent])) {
        break;
      }
      bounds[at] = bounds[parent];
      nodes[at] = nodes[parent];
      at = parent;
    }
    bounds[at] = newBound;
    nodes[at] = newNode;
  }

  /** Removes the first prefix; {@link #bound}, {@link #level} and {@link #prefix} describe it. */
  boolean pop() {
    if (size == 0) {
      return false;
    }
    bound = bounds[0];
    node = nodes[0];
    size--;
    long lastBound = bounds[size];
    long lastNode = nodes[size];
    int at = 0;
    for (int child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size
          && isBefore(bounds[child + 1], nodes[child + 1], bounds[child], nodes[child])) {
        child++;
      }
      if (!isBefore(bounds[child], nodes[child], lastBound, lastNode)) {
        break;
      }
      bounds[at] = bounds[child];
      nodes[at] = nodes[child];
      at = child;
    }
    bounds[at] = lastBound;
    nodes[at] = lastNode;
    return true;
  }

  private static boolean isBefore(long boundA, long nodeA, long boundB, long nodeB) {
    return boundA > boundB || (boundA == boundB && nodeA < nodeB);
  }

  long bound() {
    return bound;
  }

  int level() {
    return TOP_LEVEL - (int) (node >>> LEVEL_SHIFT);
  }

  long prefix() {
    return node & 0xFFFF_FFFFL;
  }
}
