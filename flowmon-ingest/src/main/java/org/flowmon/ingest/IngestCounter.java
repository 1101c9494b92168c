package org.flowmon.ingest;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The counters of ingest, by reason; {@code docs/format/exports.md} defines them and their sums.
 */
public enum IngestCounter {
  DATAGRAMS_RECEIVED,
  /** Payload bytes of the received datagrams. */
  BYTES_RECEIVED,
  /** Understood completely, apart from sets without a template and samples of other formats. */
  DATAGRAMS_DECODED,
  /** A part was dropped as malformed; see the counters of sets and records. */
  DATAGRAMS_DAMAGED,
  DATAGRAMS_DROPPED_UNKNOWN_VERSION,
  /** Shorter than their header or than the length in it. */
  DATAGRAMS_DROPPED_TRUNCATED,
  DATAGRAMS_DROPPED_BAD_LENGTH,
  /** Of senders that the configuration does not allow. */
  DATAGRAMS_DROPPED_NOT_ALLOWED,
  /** NetFlow v5: the header counts no flow, or more than 30. */
  DATAGRAMS_DROPPED_BAD_COUNT,
  /** The kernel's buffer was full, if it reports that. */
  DATAGRAMS_DROPPED_KERNEL,
  /** Still waiting at the end of a collector's stop timeout. */
  DATAGRAMS_DROPPED_AT_STOP,
  /** TLS handshakes that began; each is accepted, refused or closed in the end. */
  CONNECTIONS_HANDSHAKES,
  /** TCP and TLS: taken, of TLS after the handshake. */
  CONNECTIONS_ACCEPTED,
  /** Of addresses that the configuration does not allow, or no longer. */
  CONNECTIONS_REFUSED_NOT_ALLOWED,
  /** There were as many as may be, of all or of the address. */
  CONNECTIONS_REFUSED_TOO_MANY,
  /** The TLS handshake failed, for example without a client's certificate. */
  CONNECTIONS_CLOSED_HANDSHAKE,
  /** The oldest TLS handshake, to let in a newer one. */
  CONNECTIONS_CLOSED_DISPLACED,
  /** What came is no IPFIX message, such as NetFlow v9. */
  CONNECTIONS_CLOSED_NOT_IPFIX,
  /** A message said to be shorter than its header. */
  CONNECTIONS_CLOSED_BAD_LENGTH,
  /** A handshake or a message took too long. */
  CONNECTIONS_CLOSED_SLOW,
  /** Nothing came for long. */
  CONNECTIONS_CLOSED_IDLE,
  /** Broken off by the peer or the network. */
  CONNECTIONS_CLOSED_BROKEN,
  /** The rest of the datagram is dropped with them. */
  SETS_DROPPED_BAD_LENGTH,
  SETS_DROPPED_RESERVED_ID,
  /** Of data whose template did not come in time, or that found no room to wait for it. */
  SETS_DROPPED_NO_TEMPLATE,
  /** Of data that waited for their template. */
  SETS_DECODED_LATE,
  TEMPLATES_DROPPED_BAD,
  /** Records of variable length that run past the end of their set. */
  RECORDS_DROPPED_TRUNCATED,
  /** sFlow: of an impossible length; the rest of the datagram is dropped with them. */
  SAMPLES_DROPPED_BAD_LENGTH,
  /** sFlow: of formats that are not read, such as vendors' own. */
  SAMPLES_SKIPPED_UNKNOWN,
  /** sFlow: counters of interfaces; they are no flows. */
  COUNTER_SAMPLES,
  /** sFlow: dropped by agents for want of resources, as they count them. */
  SAMPLES_LOST_AT_EXPORTER,
  /** Flows decoded: rows handed to the sink. */
  FLOWS_DECODED,
  /** Of these the ones with both directions that became two rows, if that is asked for. */
  BIFLOWS_SPLIT,
  FLOWS_DROPPED_TOO_MANY,
  /** Known to have been in sets without a template; only a part of the losses there. */
  FLOWS_DROPPED_NO_TEMPLATE,
  /** Impossible values of flows, kept as NULL. */
  VALUES_DROPPED_IMPLAUSIBLE,
  /** Flows whose times an exporter's unit, epoch or clock made impossible, and that were mended. */
  TIMES_CORRECTED,
  /** Flows without counters: theirs are since a start that is not told, and may come again. */
  TOTALS_DROPPED_NO_START,
  /** Flows without counters: whether an earlier export had a part of them was forgotten. */
  TOTALS_DROPPED_FORGOTTEN,
  /** Flows without counters: a later export of the flow came before. */
  TOTALS_DROPPED_LATE,
  OPTIONS_RECORDS,
  /** Definitions, also of options templates, repeats included. */
  TEMPLATES_RECEIVED,
  /** Definitions other than that of their id before. */
  TEMPLATES_REPLACED,
  /** Of these the ones from another port, which two devices behind one address may send. */
  TEMPLATES_CONFLICTING,
  TEMPLATES_WITHDRAWN,
  TEMPLATES_EXPIRED,
  /** Templates forgotten because their exporter has reached its limit. */
  TEMPLATES_EVICTED,
  /** Sampling rates not remembered because their exporter has reached its limit. */
  SAMPLING_DROPPED,
  /**
   * Sampling rates forgotten because no options data repeated them for as long as templates live.
   */
  SAMPLING_EXPIRED,
  /**
   * Names of applications, VRFs and interfaces not remembered because their exporter is at its
   * limit.
   */
  NAMES_DROPPED,
  /** Sessions whose exporter began anew: what was learned of its former life is forgotten. */
  EXPORTERS_RESTARTED,
  /** Become known, so that strangers cannot evict them. */
  EXPORTERS_ESTABLISHED,
  /** Exporters forgotten with all their state, to make room for others. */
  EXPORTERS_EVICTED,
  /** Observation domains forgotten with their templates, including those of forgotten exporters. */
  DOMAINS_EVICTED,
  /** Flows (v5) or records (IPFIX), by the numbers of known exporters. */
  SEQUENCE_LOST_FLOWS,
  /** Datagrams (v9), by the numbers of known exporters. */
  SEQUENCE_LOST_DATAGRAMS,
  /** Of strangers, or more than the exporter can have sent; flows (v5) or records (IPFIX). */
  SEQUENCE_UNPROVEN_FLOWS,
  /** Of strangers, or more than the exporter can have sent; datagrams (v9). */
  SEQUENCE_UNPROVEN_DATAGRAMS,
  /** Datagrams that came after a later one; their content no longer counts as lost. */
  SEQUENCE_LATE_DATAGRAMS,
  SEQUENCE_RESETS,
  PACKETS_READ,
  PACKETS_SKIPPED_NOT_UDP,
  /** If flows are made of packets. */
  PACKETS_SKIPPED_NOT_IP,
  PACKETS_SKIPPED_FRAGMENT,
  PACKETS_SKIPPED_TRUNCATED;

  private static final Map<String, IngestCounter> BY_LABEL = new HashMap<>();

  static {
    for (IngestCounter counter : values()) {
      BY_LABEL.put(counter.label(), counter);
    }
  }

  public static Optional<IngestCounter> ofLabel(String label) {
    return Optional.ofNullable(BY_LABEL.get(label));
  }

  /**
   * Whether it counts flows, or what may have held some, that were sent and not decoded. Its {@link
   * #unit} says what is counted: a lost datagram is not a lost flow.
   */
  public boolean isLoss() {
    return switch (this) {
      case DATAGRAMS_DAMAGED,
          DATAGRAMS_DROPPED_UNKNOWN_VERSION,
          DATAGRAMS_DROPPED_TRUNCATED,
          DATAGRAMS_DROPPED_BAD_LENGTH,
          DATAGRAMS_DROPPED_BAD_COUNT,
          DATAGRAMS_DROPPED_KERNEL,
          DATAGRAMS_DROPPED_AT_STOP,
          SETS_DROPPED_BAD_LENGTH,
          SETS_DROPPED_RESERVED_ID,
          SETS_DROPPED_NO_TEMPLATE,
          TEMPLATES_DROPPED_BAD,
          RECORDS_DROPPED_TRUNCATED,
          SAMPLES_DROPPED_BAD_LENGTH,
          FLOWS_DROPPED_TOO_MANY,
          FLOWS_DROPPED_NO_TEMPLATE,
          PACKETS_SKIPPED_FRAGMENT,
          PACKETS_SKIPPED_TRUNCATED ->
          true;
      default -> isSequenceGap();
    };
  }

  /** Whether it counts what never came, by the numbers of known exporters. */
  public boolean isSequenceGap() {
    return this == SEQUENCE_LOST_FLOWS || this == SEQUENCE_LOST_DATAGRAMS;
  }

  /** What is counted, for example {@code sets}. */
  public String unit() {
    String label = label();
    return isSequenceGap()
        ? label.substring(label.lastIndexOf('_') + 1)
        : label.substring(0, label.indexOf('_'));
  }

  /** The name in metrics and summaries, for example {@code flows_decoded}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
