package org.flowmon.ingest.decode.record;

import java.util.HashMap;
import java.util.Map;

/**
 * The sampling rates in an observation domain's options data: for the whole domain, for a sampler
 * (or selector) by its id, for an interface by its index.
 */
public final class Sampling {
  /** What says nothing. */
  public static final Rate UNKNOWN = new Rate(0, 0);

  /** No rates. */
  public static final Sampling NONE = new Sampling();

  /**
   * A sampling rate: one packet of {@code rate} is observed.
   *
   * @param rate 0: unknown
   * @param mode 1 deterministic, 2 random, 0 unknown
   */
  public record Rate(long rate, int mode) {
    boolean isUnknown() {
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

  /** Sets a sampler's rate; the caller has made room for a new sampler. */
  public void setSampler(long id, Rate rate) {
    bySampler.put(id, rate);
  }

  /** Sets an interface's rate; the caller has made room for a new interface. */
  public void setInterface(long index, Rate rate) {
    byInterface.put(index, rate);
  }

  /** The rate of flows that name a sampler. */
  Rate ofSampler(long id) {
    return bySampler.getOrDefault(id, ofDomain);
  }

  /** The rate of flows that came in through an interface and name no sampler. */
  Rate ofInterface(long index) {
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
