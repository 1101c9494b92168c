package org.flowmon.jobs.merge;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.types.RecordType;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * The result of a live query for one window: exact for the flows that had arrived, the same at any
 * parallelism, the final one also in a replay. A window without groups gives a result without rows
 * if anything is {@linkplain #counts counted}, else none. An {@linkplain #isAnnouncement
 * announcement} is no result. Times are in microseconds.
 *
 * @param definition text of an analysis that came or changed while the job ran, else null ({@link
 *     org.flowmon.jobs.analysis.Definitions})
 * @param windowStart inclusive
 * @param windowEnd exclusive
 * @param update number in its window, by its tick: 0 at the window's end, one more with each slide;
 *     ticks without a change are skipped
 * @param arrivedThrough it has exactly the window's flows that arrived by then, inclusive
 * @param finalAt {@code arrivedThrough} of the final result, end + lateness: no later arrival is of
 *     it
 * @param rows the query's answer in its order, ties by the keys, cut to its limit
 * @param totals one row: each aggregate over all groups, those beyond the limit too
 * @param groups number of all: estimated if only some are here, {@link #UNKNOWN_GROUPS} if none
 * @param groupLevel n: one group in 2^n is here, chosen by the hash of keys, each exact; 0, all;
 *     {@link #NO_GROUPS}, none, as even the fewest were too many
 * @param counts arrivals while the window was open, and known losses
 * @param inputThrough the input's last arrival if its end gave the result before the window's time
 *     had come, else {@link Long#MAX_VALUE}
 * @param bounds error bounds of stateful functions in the rows; empty without them
 * @param missingSites merged sites of incomplete states, ordered by name; empty for flows
 */
@TypeInfo(WindowResult.Factory.class)
public record WindowResult(
    String analysis,
    @Nullable String definition,
    long windowStart,
    long windowEnd,
    int update,
    long arrivedThrough,
    long finalAt,
    ResultTable rows,
    ResultTable totals,
    long groups,
    int groupLevel,
    ArrivalCounts counts,
    long inputThrough,
    List<ValueBound> bounds,
    List<String> missingSites) {
  public static final int NO_GROUPS = 17;

  public static final long UNKNOWN_GROUPS = -1;

  public static final TypeInformation<WindowResult> TYPE =
      new RecordType<>(WindowResult.class, new WindowResultSerializer());

  public WindowResult {
    bounds = List.copyOf(bounds);
    missingSites = List.copyOf(missingSites);
  }

  /** Of flows, for a window whose time has come, without stateful functions. */
  public WindowResult(
      String analysis,
      @Nullable String definition,
      long windowStart,
      long windowEnd,
      int update,
      long arrivedThrough,
      long finalAt,
      ResultTable rows,
      ResultTable totals,
      long groups,
      int groupLevel,
      ArrivalCounts counts) {
    this(
        analysis,
        definition,
        windowStart,
        windowEnd,
        update,
        arrivedThrough,
        finalAt,
        rows,
        totals,
        groups,
        groupLevel,
        counts,
        Long.MAX_VALUE,
        List.of(),
        List.of());
  }

  /** The only result of a window, at its end, for an analysis that the job was started with. */
  public WindowResult(
      String analysis,
      long windowStart,
      long windowEnd,
      ResultTable rows,
      ResultTable totals,
      long groups,
      ArrivalCounts counts) {
    this(
        analysis,
        null,
        windowStart,
        windowEnd,
        0,
        windowEnd,
        windowEnd,
        rows,
        totals,
        groups,
        0,
        counts);
  }

  /**
   * An analysis's new definition, empty if it is removed, for operators that keep these, at the
   * watermark's {@code time}. The change's version is stored as {@code groups}: announcements of a
   * name may overtake one another.
   */
  public static WindowResult announcement(
      String analysis, String definition, long version, long time) {
    ResultTable none = new ResultTable.Builder().build();
    return new WindowResult(
        analysis,
        definition,
        time,
        time,
        0,
        time,
        time,
        none,
        none,
        version,
        0,
        ArrivalCounts.NONE);
  }

  public boolean isAnnouncement() {
    return windowStart == windowEnd;
  }

  /** Without groups the result has no rows, only its {@link #counts}. */
  public boolean hasGroups() {
    return groups != 0 || groupLevel != 0 || rows.rowCount() > 0;
  }

  /** Whether no other result of the window follows. */
  public boolean isFinal() {
    return arrivedThrough == finalAt;
  }

  public WindowResult withDefinition(@Nullable String text) {
    return with(text, inputThrough, bounds, missingSites);
  }

  public WindowResult withBounds(List<ValueBound> ofRows) {
    return with(definition, inputThrough, ofRows, missingSites);
  }

  public WindowResult withMissing(List<String> ofSites) {
    return with(definition, inputThrough, bounds, ofSites);
  }

  public WindowResult atEndOfInput(long through) {
    return with(definition, through, bounds, missingSites);
  }

  private WindowResult with(
      @Nullable String text, long through, List<ValueBound> ofRows, List<String> missing) {
    return new WindowResult(
        analysis,
        text,
        windowStart,
        windowEnd,
        update,
        arrivedThrough,
        finalAt,
        rows,
        totals,
        groups,
        groupLevel,
        counts,
        through,
        ofRows,
        missing);
  }

  /** Flink's type information. */
  public static final class Factory extends TypeInfoFactory<WindowResult> {
    @Override
    public TypeInformation<WindowResult> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
