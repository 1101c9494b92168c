package org.flowmon.ingest.decode.record;

import java.util.HashMap;
import java.util.Map;

/**
 * A domain's sampling rates by options data: its own, a sampler's or selector's, an interface's.
 */
public final class Sampling {
  public static final Rate UNKNOWN = new Rate(0, 0);

  /** Without any rate; nobody sets one. */
  public static final Sampling NONE = new Sampling();

  /** One packet of {@code rate} (0: unknown); mode 1 deterministic, 2 random, 0 unknown. */
  public record Rate(long rate, int mode) {
    public boolean isUnknown() {
      return rate == 0;
    }
  }

  private final Map<Long, Rate> bySampler = new HashMap<>(2);
  private final Map<Long, Rate> byInterface = new HashMap<>(2);
  private Rate ofDomain = UNKNOWN;

  public boolean isEmpty() {
    return ofDomain.isUnknown() && bySampler.isEmpty() && byInterface.isEmpty();
  }

  boolean hasInterfaces() {
    return !byInterface.isEmpty();
  }

  public void setDomain(Rate rate) {
    ofDomain = rate;
  }

  public boolean hasDomain() {
    return !ofDomain.isUnknown();
  }

  public int samplers() {
    return bySampler.size();
  }

  public int interfaces() {
    return byInterface.size();
  }

  public boolean hasSampler(long id) {
    return bySampler.containsKey(id);
  }

  public boolean hasInterface(long index) {
    return byInterface.containsKey(index);
  }

  /** The caller has made room for a new one. */
  public void setSampler(long id, Rate rate) {
    bySampler.put(id, rate);
  }

  /** The caller has made room for a new one. */
  public void setInterface(long index, Rate rate) {
    byInterface.put(index, rate);
  }

  /** The rate of flows that name a sampler; of an unknown one that of the interface. */
  Rate ofSampler(long id, long index) {
    Rate rate = bySampler.get(id);
    return rate != null ? rate : byInterface.getOrDefault(index, ofDomain);
  }

  /** The rate of flows that came in through an interface and name no sampler. */
  public Rate ofInterface(long index) {
    Rate rate = byInterface.get(index);
    return rate != null ? rate : ofAll();
  }

  /** The rate of flows that name no sampler: the domain's, or that of its only sampler. */
  Rate ofAll() {
    if (ofDomain.isUnknown() && bySampler.size() == 1) {
      return bySampler.values().iterator().next();
    }
    return ofDomain;
  }
}
