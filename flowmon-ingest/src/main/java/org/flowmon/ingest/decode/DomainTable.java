package org.flowmon.ingest.decode;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/** The observation domains that a decoder knows, bounded: who was used least recently goes. */
final class DomainTable {
  private final DecoderLimits limits;
  private final IngestCounters counters;
  private final Map<ObservationDomain.Key, ObservationDomain> domains =
      new LinkedHashMap<>(64, 0.75f, true);

  DomainTable(DecoderLimits limits, IngestCounters counters) {
    this.limits = limits;
    this.counters = counters;
  }

  /**
   * The domain of this key, a new one where it is not known.
   *
   * @param lost what a new one counts its losses as
   */
  ObservationDomain get(ObservationDomain.Key key, IngestCounter lost) {
    ObservationDomain domain = domains.get(key);
    if (domain == null) {
      domain = new ObservationDomain(limits, counters, lost);
      domains.put(key, domain);
      evict(domains.size() - limits.domains(), 0);
    }
    return domain;
  }

  /** The domain of this key, or null. */
  ObservationDomain find(ObservationDomain.Key key) {
    return domains.get(key);
  }

  /** Holds the limit of fields; to be called after a datagram that brought new templates. */
  void keepWithinFields() {
    long fields = 0;
    for (ObservationDomain domain : domains.values()) {
      fields += domain.fields();
    }
    evict(0, fields - limits.fields());
  }

  private void evict(long tooManyDomains, long tooManyFields) {
    long domainsLeft = tooManyDomains;
    long fieldsLeft = tooManyFields;
    Iterator<ObservationDomain> oldest = domains.values().iterator();
    while ((domainsLeft > 0 || fieldsLeft > 0) && domains.size() > 1) {
      fieldsLeft -= oldest.next().fields();
      domainsLeft--;
      oldest.remove();
      counters.increment(IngestCounter.DOMAINS_EVICTED);
    }
  }
}
