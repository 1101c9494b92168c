package org.flowmon.archive.directory;

import org.flowmon.archive.segment.SegmentReader;
import org.flowmon.flow.FlowColumn;

/** The addresses of one column of one segment. */
final class DictionaryHosts implements HostStream {
  private final SegmentReader segment;
  private final FlowColumn column;
  private final int role;
  private final int size;
  private int id = -1;

  DictionaryHosts(SegmentReader segment, FlowColumn column, int role) {
    this.segment = segment;
    this.column = column;
    this.role = role;
    this.size = segment.hasDictionary(column) ? segment.dictionarySize(column) : 0;
  }

  @Override
  public boolean next() {
    return ++id < size;
  }

  @Override
  public long high() {
    return segment.dictionaryHigh(column, id);
  }

  @Override
  public long low() {
    return segment.dictionaryLow(column, id);
  }

  @Override
  public int count() {
    return 1;
  }

  @Override
  public int place(int i) {
    return role;
  }
}
