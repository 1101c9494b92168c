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

/**
 * What an analysis's live query gave for one window: exact for what had arrived, the same at any
 * parallelism, and the final one also in a replay. A window that has no groups gives a result
 * without rows where anything is {@linkplain #counts counted} in it, else none. What {@link
 * #isAnnouncement} is none.
 *
 * @param analysis its name
 * @param definition the text of an analysis that came or changed while the job ran; null of one
 *     that the job was started with ({@link org.flowmon.jobs.analysis.Definitions})
 * @param windowStart in microseconds, inclusive
 * @param windowEnd in microseconds, exclusive
 * @param update number of this result among those of its window, by the tick that it is of: 0 at
 *     the window's end, one more with each slide; numbers are left out where nothing had changed
 * @param arrivedThrough flows of the window that arrived by then, inclusive, are in it and no
 *     others; in microseconds
 * @param finalAt the same of the window's final result, its end + lateness: no flow that arrives
 *     later is of the window
 * @param rows the query's answer in its order, ties by the keys, cut to its limit
 * @param totals one row: each aggregate of the query over all groups of the window, those beyond
 *     the limit too
 * @param groups number of all groups: where the result is of some of them an estimate, {@link
 *     #UNKNOWN_GROUPS} where it is of none
 * @param groupLevel of which groups it is: 0, all; else one in 2^groupLevel, chosen by the hash of
 *     their keys, each of them exact; {@link #NO_GROUPS}, of none, as even the fewest were too many
 * @param counts what arrived while the window was open, and what is known not to have
 * @param inputThrough through which arrival there was input where its end gave the result before
 *     the window's time had come; {@link Long#MAX_VALUE} where that had come
 * @param bounds of what functions with states give in the rows: of an analysis without them none
 * @param missingSites those whose states are merged here and were not all there, in the order of
 *     their names; of flows none
 */
@TypeInfo(WindowResult.Factory.class)
public record WindowResult(
    String analysis,
    String definition,
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
  /** The {@link #groupLevel} of a result without groups. */
  public static final int NO_GROUPS = 17;

  /** The number of {@link #groups} where nobody knows it. */
  public static final long UNKNOWN_GROUPS = -1;

  public static final TypeInformation<WindowResult> TYPE =
      new RecordType<>(WindowResult.class, new WindowResultSerializer());

  public WindowResult {
    bounds = List.copyOf(bounds);
    missingSites = List.copyOf(missingSites);
  }

  /** A result of flows, of an analysis without functions that have states. */
  public WindowResult(
      String analysis,
      String definition,
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
      long inputThrough) {
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
        inputThrough,
        List.of(),
        List.of());
  }

  /** The result of a window whose time has come, of flows. */
  public WindowResult(
      String analysis,
      String definition,
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
        Long.MAX_VALUE);
  }

  /** The only result of a window, at its end, of an analysis that the job was started with. */
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
   * No result, but word of an analysis for those that remember analyses: what it is from now on.
   *
   * @param definition its text; empty: it is gone
   * @param version of the change, which stands in the place of {@code groups}: word of a name may
   *     overtake other word of it
   * @param time what the watermark has reached, in microseconds
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

  /** Whether this is no result, but word of what the analysis is from now on. */
  public boolean isAnnouncement() {
    return windowStart == windowEnd;
  }

  /**
   * Whether there is anything in the window. Without, the result has no rows, and is there for its
   * {@link #counts}.
   */
  public boolean hasGroups() {
    return groups != 0 || groupLevel != 0 || rows.rowCount() > 0;
  }

  /** Whether no other result of the window follows. */
  public boolean isFinal() {
    return arrivedThrough == finalAt;
  }

  /** The same result of an analysis that is defined by this text. */
  public WindowResult withDefinition(String text) {
    return with(text, inputThrough, bounds, missingSites);
  }

  /** The same result, with the bounds of its rows. */
  public WindowResult withBounds(List<ValueBound> ofRows) {
    return with(definition, inputThrough, ofRows, missingSites);
  }

  /** The same result, of sites of which these were not all there. */
  public WindowResult withMissing(List<String> ofSites) {
    return with(definition, inputThrough, bounds, ofSites);
  }

  /** The same result, given as there is no more input. */
  public WindowResult atEndOfInput(long through) {
    return with(definition, through, bounds, missingSites);
  }

  private WindowResult with(
      String text, long through, List<ValueBound> ofRows, List<String> missing) {
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

  /** How Flink finds the type. */
  public static final class Factory extends TypeInfoFactory<WindowResult> {
    @Override
    public TypeInformation<WindowResult> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
