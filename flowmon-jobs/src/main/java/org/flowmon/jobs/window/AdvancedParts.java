package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.window.AdvancedGroups;
import org.flowmon.udaf.window.WindowPart;

/**
 * What tasks of the merge sent of a window in advance of its result, and the rest that they sent
 * when it closed. Of a task that was restored in between there may be both what it sent before,
 * which counts no more, and all that it has.
 *
 * <p>Putting a window's groups in order is most of the work for its result: it is begun when all
 * that goes in advance has come.
 */
final class AdvancedParts {
  // By task, in the order in which they came.
  private final Map<Long, List<byte[]>> byTask = new LinkedHashMap<>();
  private final List<Partial.Rest> rests = new ArrayList<>();
  // Null where it has not begun.
  private FutureTask<AdvancedGroups> inOrder;

  void add(Partial.Advance advance) {
    byTask.computeIfAbsent(advance.task(), task -> new ArrayList<>()).add(advance.bytes());
    inOrder = null; // what was prepared lacks it
  }

  void add(Partial.Rest rest) {
    rests.add(rest);
  }

  /** Whether a task has sent the rest of the window. */
  boolean hasRest() {
    return !rests.isEmpty();
  }

  /**
   * Whether all that goes with the rest is there. It is not where the query was stopped and said
   * anew in between: then the window is none of those that the query has all flows of.
   */
  boolean isWhole() {
    return rests.stream()
        .allMatch(rest -> byTask.getOrDefault(rest.task(), List.of()).size() == rest.advances());
  }

  /** Begins to put in order what came, unless that has begun. */
  void prepare(FlowQuery query, Executor executor) {
    if (inOrder == null && !byTask.isEmpty()) {
      inOrder = ordered(query);
      executor.execute(inOrder);
    }
  }

  private FutureTask<AdvancedGroups> ordered(FlowQuery query) {
    Map<Long, List<byte[]>> parts = new LinkedHashMap<>();
    byTask.forEach((task, of) -> parts.put(task, List.copyOf(of)));
    return new FutureTask<>(() -> AdvancedGroups.of(query, parts));
  }

  /**
   * All of the window.
   *
   * @param others parts of tasks that sent nothing in advance
   */
  WindowPart with(List<byte[]> others, FlowQuery query) {
    List<byte[]> last = new ArrayList<>(others);
    Map<Long, List<int[]>> superseded = new LinkedHashMap<>();
    for (Partial.Rest rest : rests) {
      last.add(rest.bytes());
      superseded.computeIfAbsent(rest.task(), task -> new ArrayList<>()).add(rest.superseded());
    }
    FutureTask<AdvancedGroups> groups = inOrder == null ? ordered(query) : inOrder;
    inOrder = null; // it is used up
    groups.run(); // nothing where another thread is at it
    return get(groups).complete(WindowPart.open(last, query), superseded);
  }

  private static AdvancedGroups get(FutureTask<AdvancedGroups> groups) {
    try {
      return groups.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a window's groups were put in order", e);
    }
  }

  long bytes() {
    long bytes = 0;
    for (List<byte[]> parts : byTask.values()) {
      bytes += parts.stream().mapToLong(part -> part.length).sum();
    }
    return bytes + rests.stream().mapToLong(rest -> rest.bytes().length).sum();
  }

  /** All of it, as the messages that would make it again. */
  void snapshot(long queryId, List<Partial> messages) {
    byTask.forEach(
        (task, parts) ->
            parts.forEach(part -> messages.add(new Partial.Advance(queryId, task, part))));
    messages.addAll(rests);
  }
}
