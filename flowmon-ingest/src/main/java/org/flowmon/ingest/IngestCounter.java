package org.flowmon.ingest;

import java.util.Locale;

/**
 * The counters of ingest, by reason. {@code docs/format/exports.md} defines each and says which of
 * them add up.
 */
public enum IngestCounter {
  /** UDP datagrams handed to the decoder. */
  DATAGRAMS_RECEIVED,
  /** Their payload bytes. */
  BYTES_RECEIVED,
  /** Datagrams that were understood completely, apart from sets without a template. */
  DATAGRAMS_DECODED,
  /** Datagrams with a part that was dropped as malformed; see the counters of sets and records. */
  DATAGRAMS_DAMAGED,
  /** Datagrams of a version that is not decoded. */
  DATAGRAMS_DROPPED_UNKNOWN_VERSION,
  /** Datagrams shorter than their header or than the length in it. */
  DATAGRAMS_DROPPED_TRUNCATED,
  /** Datagrams whose header has an impossible length. */
  DATAGRAMS_DROPPED_BAD_LENGTH,
  /** NetFlow v5 datagrams whose header counts no flow, or more than 30. */
  DATAGRAMS_DROPPED_BAD_COUNT,
  /** Datagrams that the kernel dropped because its buffer was full, if it reports them. */
  DATAGRAMS_DROPPED_KERNEL,
  /** Datagrams that still waited at the end of a collector's stop timeout. */
  DATAGRAMS_DROPPED_AT_STOP,
  /** Sets with an impossible length: the rest of the datagram is dropped with them. */
  SETS_DROPPED_BAD_LENGTH,
  /** Sets with a reserved id. */
  SETS_DROPPED_RESERVED_ID,
  /** Data sets without a known template (not yet, or no more). */
  SETS_DROPPED_NO_TEMPLATE,
  /** Template definitions that are invalid or exceed a limit. */
  TEMPLATES_DROPPED_BAD,
  /** Records of variable length that run past the end of their set. */
  RECORDS_DROPPED_TRUNCATED,
  /** Flows decoded: rows handed to the sink. */
  FLOWS_DECODED,
  /** Flows beyond the limit of one datagram. */
  FLOWS_DROPPED_TOO_MANY,
  /** Flows known to have been in sets without a template; only a part of the losses there. */
  FLOWS_DROPPED_NO_TEMPLATE,
  /** Impossible values of flows, kept as NULL. */
  VALUES_DROPPED_IMPLAUSIBLE,
  /** Records of options data. */
  OPTIONS_RECORDS,
  /** Definitions of templates and options templates, repeats included. */
  TEMPLATES_RECEIVED,
  /** Templates that their exporter withdrew. */
  TEMPLATES_WITHDRAWN,
  /** Templates that were not repeated within their lifetime. */
  TEMPLATES_EXPIRED,
  /** Templates forgotten because their exporter has reached its limit. */
  TEMPLATES_EVICTED,
  /** Sampling rates not remembered because their exporter has reached its limit. */
  SAMPLING_DROPPED,
  /** Exporters that have become known, so that strangers cannot evict them. */
  EXPORTERS_ESTABLISHED,
  /** Exporters forgotten with all their state, to make room for others. */
  EXPORTERS_EVICTED,
  /** Observation domains forgotten with their templates, including those of forgotten exporters. */
  DOMAINS_EVICTED,
  /** Flows (v5) or records (IPFIX) lost on the way, by the numbers of known exporters. */
  SEQUENCE_LOST_FLOWS,
  /** Datagrams (v9) lost on the way, by the numbers of known exporters. */
  SEQUENCE_LOST_DATAGRAMS,
  /**
   * Like {@link #SEQUENCE_LOST_FLOWS}, but of strangers, or more than the exporter can have sent.
   */
  SEQUENCE_UNPROVEN_FLOWS,
  /**
   * Like {@link #SEQUENCE_LOST_DATAGRAMS}, but of strangers, or more than the exporter can have
   * sent.
   */
  SEQUENCE_UNPROVEN_DATAGRAMS,
  /** Datagrams that came after a later one; their content no longer counts as lost. */
  SEQUENCE_LATE_DATAGRAMS,
  /** Restarts of an exporter's sequence. */
  SEQUENCE_RESETS,
  /** Packets read from capture files. */
  PACKETS_READ,
  /** Packets of capture files that are not UDP over IP. */
  PACKETS_SKIPPED_NOT_UDP,
  /** Fragments of IP packets in capture files. */
  PACKETS_SKIPPED_FRAGMENT,
  /** Packets that the capture cut short. */
  PACKETS_SKIPPED_TRUNCATED;

  /** The name in metrics and summaries, for example {@code flows_decoded}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
