package org.flowmon.ingest.decode;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getU16;

import java.util.Arrays;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ObservationDomain;
import org.flowmon.ingest.decode.exporter.Template;
import org.flowmon.ingest.decode.exporter.WorkMeter;

/**
 * Reads the definitions of templates.
 *
 * <pre>
 * v9 template            id 2 | fields 2 | (type 2 | length 2) …                      RFC 3954 5.2
 * v9 options template    id 2 | bytes of scopes 2 | bytes of options 2
 *                        | (type 2 | length 2) … scopes, then options                 RFC 3954 6.1
 * IPFIX template         id 2 | fields 2 | (E 1 bit, element 15 bits | length 2
 *                        | enterprise 4 if E) …                                       RFC 7011 3.4.1
 * IPFIX options template id 2 | fields 2 | scopes among them 2 | as above …           RFC 7011 3.4.2
 * </pre>
 */
final class TemplateReader {
  private static final int MIN_ID = 256;

  /** The element ingressInterface, in v9. */
  private static final int SCOPE_INTERFACE = 2;

  private static final int INGRESS_INTERFACE = 10;
  private static final int NOT_DECODED = -1;

  private final DecoderLimits limits;
  private final IngestCounters counters;
  private final WorkMeter work;
  private int[] defined = new int[16];
  private int definedCount;
  private int definitions;
  private boolean bad;

  TemplateReader(DecoderLimits limits, IngestCounters counters, WorkMeter work) {
    this.limits = limits;
    this.counters = counters;
    this.work = work;
  }

  /** Another datagram begins. */
  void begin() {
    definedCount = 0;
  }

  /** How many templates the datagram has defined. */
  int defined() {
    return definedCount;
  }

  /** The id of the {@code i}th of them. */
  int defined(int i) {
    return defined[i];
  }

  /** In the set that was read last, as {@link #isBad}. */
  int definitions() {
    return definitions;
  }

  boolean isBad() {
    return bad;
  }

  /** Reads a set's definitions, between its header and {@code end}, into the domains. */
  void read(
      byte[] bytes,
      int at,
      int end,
      boolean ipfix,
      boolean options,
      long arrival,
      ObservationDomain... domains) {
    definitions = 0;
    bad = false;
    int position = at;
    while (end - position >= 4) {
      int id = getU16(bytes, position);
      int count = getU16(bytes, position + 2);
      if (id == 0 && count == 0) {
        return; // padding
      }
      if (ipfix && count == 0) {
        withdraw(id, options, domains);
        position += 4;
        continue;
      }
      int fieldsAt = position + (options ? 6 : 4);
      int fields = fieldsAt > end ? 0 : ipfix || !options ? count : v9Fields(bytes, position);
      int next =
          id < MIN_ID || fields < 1 || fields > limits.fieldsPerTemplate()
              ? -1
              : endOfFields(bytes, fieldsAt, end, fields, ipfix);
      if (next < 0) {
        refuse();
        return; // the start of the next definition is unknown
      }
      int scopes = options && !ipfix ? count / 4 : 0;
      define(id, options, fields(bytes, fieldsAt, fields, scopes, ipfix), arrival, domains);
      position = next;
    }
  }

  private void refuse() {
    bad = true;
    counters.increment(IngestCounter.TEMPLATES_DROPPED_BAD);
  }

  private static int v9Fields(byte[] bytes, int at) {
    int scopeBytes = getU16(bytes, at + 2);
    int optionBytes = getU16(bytes, at + 4);
    return (scopeBytes | optionBytes) % 4 != 0 ? 0 : (scopeBytes + optionBytes) / 4;
  }

  private static int endOfFields(byte[] bytes, int at, int end, int fields, boolean ipfix) {
    int position = at;
    for (int i = 0; i < fields; i++) {
      if (end - position < 4) {
        return -1;
      }
      position += ipfix && getU16(bytes, position) >= 0x8000 ? 8 : 4;
    }
    return position > end ? -1 : position;
  }

  /** Enterprise number, element, length of each. */
  private static int[] fields(byte[] bytes, int at, int count, int scopes, boolean ipfix) {
    int[] fields = new int[3 * count];
    int position = at;
    for (int i = 0; i < count; i++) {
      int element = getU16(bytes, position);
      fields[3 * i + 2] = getU16(bytes, position + 2);
      position += 4;
      if (ipfix && element >= 0x8000) {
        fields[3 * i] = getInt(bytes, position);
        element &= 0x7FFF;
        position += 4;
      } else if (i < scopes) {
        element = element == SCOPE_INTERFACE ? INGRESS_INTERFACE : NOT_DECODED;
      }
      fields[3 * i + 1] = element;
    }
    return fields;
  }

  private void define(
      int id, boolean options, int[] fields, long arrival, ObservationDomain... domains) {
    definitions++;
    work.add(fields.length / 3);
    Template known = domains[0].current(id);
    Template template =
        known != null && known.isDefinedBy(options, fields)
            ? known
            : new Template(id, options, fields);
    if (!template.hasPossibleLength()) {
      refuse();
      return;
    }
    counters.increment(IngestCounter.TEMPLATES_RECEIVED);
    countChange(id, options, fields, domains);
    boolean kept = true;
    for (ObservationDomain domain : domains) {
      kept &= domain.define(template, arrival);
    }
    if (!kept) {
      refuse();
      return;
    }
    if (definedCount == defined.length) {
      defined = Arrays.copyOf(defined, 2 * definedCount);
    }
    defined[definedCount++] = id;
  }

  /** Of domains the last one may have the definitions of other ports, too. */
  private void countChange(int id, boolean options, int[] fields, ObservationDomain... domains) {
    Template own = domains[0].current(id);
    Template last = domains[domains.length - 1].current(id);
    boolean ownChanges = own != null && !own.isDefinedBy(options, fields);
    boolean lastChanges = last != null && !last.isDefinedBy(options, fields);
    if (ownChanges || lastChanges) {
      counters.increment(IngestCounter.TEMPLATES_REPLACED);
    }
    if (lastChanges && !ownChanges) {
      counters.increment(IngestCounter.TEMPLATES_CONFLICTING);
    }
  }

  /** The id of the set itself stands for all templates of its kind (RFC 7011 section 8.1). */
  private void withdraw(int id, boolean options, ObservationDomain... domains) {
    definitions++;
    work.add(1);
    int withdrawn = 0;
    for (ObservationDomain domain : domains) {
      if (id == (options ? 3 : 2)) {
        withdrawn = domain.removeAll(options);
      } else if (domain.remove(id)) {
        withdrawn = 1;
      }
    }
    work.add(withdrawn);
    counters.add(IngestCounter.TEMPLATES_WITHDRAWN, withdrawn);
  }
}
