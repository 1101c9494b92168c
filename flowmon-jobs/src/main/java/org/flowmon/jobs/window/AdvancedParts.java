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
 * The groups of a window that tasks of the merge sent in advance of its result, and the rest that
 * they sent when it closed. A task that was restored in between may have sent both outdated
 * advances and a full part.
 *
 * <p>Ordering a window's groups is most of the work for its result: it begins when all advances
 * have come.
 */
final class AdvancedParts {
  // Advances by task, in the order in which they came.
  private final Map<Long, List<byte[]>> byTask = new LinkedHashMap<>();
  private final List<Partial.Rest> rests = new ArrayList<>();
  // Null before it has begun.
  private FutureTask<AdvancedGroups> inOrder;

  /** Takes an advance or a rest; returns whether it is a rest. */
  boolean add(Partial.OfWindow message) {
    if (message instanceof Partial.Rest rest) {
      return rests.add(rest);
    }
    Partial.Advance advance = (Partial.Advance) message;
    byTask.computeIfAbsent(advance.task(), task -> new ArrayList<>()).add(advance.bytes());
    inOrder = null; // the prepared groups lack it
    return false;
  }

  /** Whether a task has sent the rest of the window. */
  boolean hasRest() {
    return !rests.isEmpty();
  }

  /**
   * Whether all advances that belong to the rests are there. They are not if the query was stopped
   * and sent anew in between; the query does not have all flows of such a window anyway.
   */
  boolean isWhole() {
    return rests.stream()
        .allMatch(rest -> byTask.getOrDefault(rest.task(), List.of()).size() == rest.advances());
  }

  /** Begins to order the advances, unless that has begun. */
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
   * Returns the whole window.
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
    groups.run(); // no-op if another thread runs it
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

  /** Adds the messages that restore this. */
  void snapshot(long queryId, List<Partial> messages) {
    byTask.forEach(
        (task, parts) ->
            parts.forEach(part -> messages.add(new Partial.Advance(queryId, task, part))));
    messages.addAll(rests);
  }
}
