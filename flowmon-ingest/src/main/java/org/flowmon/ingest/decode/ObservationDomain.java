package org.flowmon.ingest.decode;

import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/** What is remembered of one observation domain of an exporter: templates, sampling, sequence. */
final class ObservationDomain {
  /** Stands for all source ports of an exporter. */
  static final int ANY_PORT = -1;

  /** Which domain it is. */
  record Key(int version, IpAddress exporter, int port, long domain) {}

  private record Defined(Template template, long arrival) {}

  private final DecoderLimits limits;
  private final IngestCounters counters;
  private final SequenceTracker sequence;
  private final Sampling sampling = new Sampling();
  // In the order of their last definition.
  private final Map<Integer, Defined> templates = new LinkedHashMap<>();
  private int fields;
  private long systemInit;

  ObservationDomain(DecoderLimits limits, IngestCounters counters, IngestCounter lost) {
    this.limits = limits;
    this.counters = counters;
    this.sequence = new SequenceTracker(lost, counters);
  }

  SequenceTracker sequence() {
    return sequence;
  }

  Sampling sampling() {
    return sampling;
  }

  /** Fields of all its templates. */
  int fields() {
    return fields;
  }

  /** When the exporter's uptime was 0, µs since 1970; 0 where it has not said. */
  long systemInit() {
    return systemInit;
  }

  void setSystemInit(long micros) {
    systemInit = micros;
  }

  /** The template of this id, null where there is none that is still alive. */
  Template template(int id, long arrival) {
    Defined defined = templates.get(id);
    if (defined != null && arrival - defined.arrival() > limits.templateLifetimeMicros()) {
      remove(id);
      counters.increment(IngestCounter.TEMPLATES_EXPIRED);
      return null;
    }
    return defined == null ? null : defined.template();
  }

  /** The template of this id whatever its age, or null. */
  Template current(int id) {
    Defined defined = templates.get(id);
    return defined == null ? null : defined.template();
  }

  /** Takes a template in place of the one that had its id, and of the oldest where full. */
  void define(Template template, long arrival) {
    remove(template.id());
    if (templates.size() >= limits.templatesPerDomain()) {
      remove(templates.keySet().iterator().next());
      counters.increment(IngestCounter.TEMPLATES_EXPIRED);
    }
    templates.put(template.id(), new Defined(template, arrival));
    fields += template.fieldCount();
  }

  boolean remove(int id) {
    Defined removed = templates.remove(id);
    if (removed != null) {
      fields -= removed.template().fieldCount();
    }
    return removed != null;
  }

  /** Removes all templates, or all options templates; says how many. */
  int removeAll(boolean options) {
    int[] ids =
        templates.values().stream()
            .filter(d -> d.template().isOptions() == options)
            .mapToInt(d -> d.template().id())
            .toArray();
    for (int id : ids) {
      remove(id);
    }
    return ids.length;
  }
}
