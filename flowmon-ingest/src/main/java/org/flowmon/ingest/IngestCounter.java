package org.flowmon.ingest;

import java.util.Locale;

/**
 * What is counted on the way in, by reason. {@code docs/format/exports.md} says what each means and
 * which of them add up.
 */
public enum IngestCounter {
  /** UDP datagrams handed to the decoder. */
  DATAGRAMS_RECEIVED,
  /** Their payload bytes. */
  BYTES_RECEIVED,
  /** Datagrams in which everything was understood, sets without a template aside. */
  DATAGRAMS_DECODED,
  /** Datagrams of which a part was dropped as malformed; see the counters of sets and records. */
  DATAGRAMS_DAMAGED,
  /** Datagrams of no version that is decoded. */
  DATAGRAMS_DROPPED_UNKNOWN_VERSION,
  /** Datagrams shorter than their header, or than their header says. */
  DATAGRAMS_DROPPED_TRUNCATED,
  /** Datagrams whose header gives a length that cannot be. */
  DATAGRAMS_DROPPED_BAD_LENGTH,
  /** NetFlow v5 datagrams whose header counts no flow, or more than 30. */
  DATAGRAMS_DROPPED_BAD_COUNT,
  /** Datagrams that the kernel dropped because its buffer was full; where it tells. */
  DATAGRAMS_DROPPED_KERNEL,
  /** Datagrams that still waited when a collector's time to stop was over. */
  DATAGRAMS_DROPPED_AT_STOP,
  /** Sets whose length cannot be: the rest of the datagram is dropped with them. */
  SETS_DROPPED_BAD_LENGTH,
  /** Sets of an id that is reserved. */
  SETS_DROPPED_RESERVED_ID,
  /** Data sets for which no template is known (yet, or any more). */
  SETS_DROPPED_NO_TEMPLATE,
  /** Template definitions that cannot be, or are past a limit. */
  TEMPLATES_DROPPED_BAD,
  /** Records of variable length that run past the end of their set. */
  RECORDS_DROPPED_TRUNCATED,
  /** Flows decoded: rows handed to the sink. */
  FLOWS_DECODED,
  /** Flows of a datagram that holds more of them than one may. */
  FLOWS_DROPPED_TOO_MANY,
  /** Flows known to have been in sets without a template; a part of what is lost there. */
  FLOWS_DROPPED_NO_TEMPLATE,
  /** Values of flows that cannot be, kept as NULL. */
  VALUES_DROPPED_IMPLAUSIBLE,
  /** Records of options data. */
  OPTIONS_RECORDS,
  /** Definitions of templates and options templates, repeats included. */
  TEMPLATES_RECEIVED,
  /** Templates that their exporter withdrew. */
  TEMPLATES_WITHDRAWN,
  /** Templates that were not repeated within their lifetime. */
  TEMPLATES_EXPIRED,
  /** Templates forgotten because their exporter has as many as it may. */
  TEMPLATES_EVICTED,
  /** Sampling rates that were not remembered because their exporter has as many as it may. */
  SAMPLING_DROPPED,
  /** Exporters that have become known, so that strangers do not make them be forgotten. */
  EXPORTERS_ESTABLISHED,
  /** Exporters forgotten with all that was kept of them, to make room for others. */
  EXPORTERS_EVICTED,
  /** Observation domains forgotten with their templates, those of forgotten exporters too. */
  DOMAINS_EVICTED,
  /** Flows (v5) or records (IPFIX) that known exporters' numbers say were lost on the way. */
  SEQUENCE_LOST_FLOWS,
  /** Datagrams (v9) that known exporters' numbers say were lost on the way. */
  SEQUENCE_LOST_DATAGRAMS,
  /** As {@link #SEQUENCE_LOST_FLOWS}, of strangers, or more than their exporter can have sent. */
  SEQUENCE_UNPROVEN_FLOWS,
  /** As {@link #SEQUENCE_LOST_DATAGRAMS}, of strangers, or more than can have been sent. */
  SEQUENCE_UNPROVEN_DATAGRAMS,
  /** Datagrams that came after a later one; what they hold is no longer counted as lost. */
  SEQUENCE_LATE_DATAGRAMS,
  /** Times that an exporter's sequence began anew. */
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
