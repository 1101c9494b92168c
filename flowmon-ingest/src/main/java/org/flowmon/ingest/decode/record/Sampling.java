package org.flowmon.ingest.decode.record;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A domain's sampling rates by options data: its own, a sampler's or selector's, an interface's,
 * each with the time at which it was told last.
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

  private record Told(Rate rate, long at) {}

  // Told longest ago first.
  private final Map<Long, Told> bySampler = new LinkedHashMap<>(2);
  private final Map<Long, Told> byInterface = new LinkedHashMap<>(2);
  private Rate ofDomain = UNKNOWN;
  private long domainTold;
  // None was told before.
  private long oldest = Long.MAX_VALUE;

  public boolean isEmpty() {
    return ofDomain.isUnknown() && bySampler.isEmpty() && byInterface.isEmpty();
  }

  boolean hasInterfaces() {
    return !byInterface.isEmpty();
  }

  /** An unknown rate takes the domain's away. */
  public void setDomain(Rate rate, long now) {
    ofDomain = rate;
    domainTold = now;
    oldest = Math.min(oldest, now);
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
  public void setSampler(long id, Rate rate, long now) {
    set(bySampler, id, rate, now);
  }

  /** The caller has made room for a new one. */
  public void setInterface(long index, Rate rate, long now) {
    set(byInterface, index, rate, now);
  }

  private void set(Map<Long, Told> rates, long key, Rate rate, long now) {
    rates.remove(key);
    rates.put(key, new Told(rate, now));
    oldest = Math.min(oldest, now);
  }

  /** False if there is none. */
  public boolean removeSampler(long id) {
    return bySampler.remove(id) != null;
  }

  /** False if there is none. */
  public boolean removeInterface(long index) {
    return byInterface.remove(index) != null;
  }

  /** Whether a rate may have been told before that time. */
  public boolean mayBeOlderThan(long time) {
    return oldest < time;
  }

  /** Forgets the rates that were told before that time; returns how many. */
  public int forgetOlderThan(long time) {
    int forgotten = forget(bySampler, time) + forget(byInterface, time);
    if (hasDomain() && domainTold < time) {
      ofDomain = UNKNOWN;
      forgotten++;
    }
    long first = Math.min(first(bySampler), first(byInterface));
    oldest = hasDomain() ? Math.min(first, domainTold) : first;
    return forgotten;
  }

  private static int forget(Map<Long, Told> rates, long time) {
    int forgotten = 0;
    Iterator<Told> all = rates.values().iterator();
    while (all.hasNext() && all.next().at() < time) {
      all.remove();
      forgotten++;
    }
    return forgotten;
  }

  private static long first(Map<Long, Told> rates) {
    Iterator<Told> all = rates.values().iterator();
    return all.hasNext() ? all.next().at() : Long.MAX_VALUE;
  }

  /** The rate of flows that name a sampler; of an unknown one that of the interface. */
  Rate ofSampler(long id, long index) {
    Told told = bySampler.get(id);
    told = told == null ? byInterface.get(index) : told;
    return rate(told, ofDomain);
  }

  /** The rate of flows that came in through an interface and name no sampler. */
  public Rate ofInterface(long index) {
    return rate(byInterface.get(index), ofAll());
  }

  private static Rate rate(@Nullable Told told, Rate other) {
    return told == null ? other : told.rate();
  }

  /** The rate of flows that name no sampler: the domain's, or that of its only sampler. */
  Rate ofAll() {
    if (ofDomain.isUnknown() && bySampler.size() == 1) {
      return bySampler.values().iterator().next().rate();
    }
    return ofDomain;
  }
}
