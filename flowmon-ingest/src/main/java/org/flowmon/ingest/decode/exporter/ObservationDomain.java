package org.flowmon.ingest.decode.exporter;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.flowmon.ingest.decode.record.ExporterNames;
import org.flowmon.ingest.decode.record.FlowTotals;
import org.flowmon.ingest.decode.record.Names;
import org.flowmon.ingest.decode.record.Sampling;
import org.jspecify.annotations.Nullable;

/** The state of an exporter's observation domain: templates, sampling and sequence. */
public final class ObservationDomain {
  /** Stands for all source ports of an exporter. */
  public static final int ANY_PORT = -1;

  /** Estimated heap of a domain without its templates and rates (bytes). */
  static final int BYTES = 640;

  /** Estimated heap of the map entries for a template and for a sampling rate (bytes). */
  private static final int TEMPLATE_ENTRY_BYTES = 128;

  private static final int RATE_BYTES = 128;

  /** Of a name without its bytes: array and places in the table; of the empty tables. */
  private static final int NAME_BYTES = 80;

  private static final int NAMES_BYTES = 320;
  private static final ExporterNames NO_NAMES = new ExporterNames();

  /** The low half of the exporter's address; version, port and domain. */
  public record Key(long address, long session) implements Comparable<Key> {
    public static Key of(int version, @Nullable IpAddress exporter, int port, long domain) {
      return new Key(
          exporter == null ? 0 : exporter.lo(),
          (long) version << 49 | (long) (port + 1) << 32 | (domain & 0xFFFF_FFFFL));
    }

    int version() {
      return (int) (session >>> 49);
    }

    void write(DataOutputStream out) throws IOException {
      out.writeLong(address);
      out.writeLong(session);
    }

    /** Differs from process to process, see {@link TableHash}. */
    @Override
    public int hashCode() {
      return (int) TableHash.of(address, session);
    }

    @Override
    public int compareTo(Key other) {
      return IpAddress.compare(address, session, other.address, other.session);
    }
  }

  private record Defined(Template template, long arrival, long serial) {
    int bytes() {
      return TEMPLATE_ENTRY_BYTES + template.bytes();
    }
  }

  private final Exporter exporter;
  private final DecoderLimits limits;
  private final IngestCounters counters;
  private final HeldDatagram nothingHeld;
  private final SequenceTracker sequence;
  private Sampling sampling = Sampling.NONE;
  private ExporterNames names = NO_NAMES;
  // In the order of their last definition; two maps, as a whole kind may be withdrawn.
  private final Map<Integer, Defined> flowTemplates = new LinkedHashMap<>(2);
  private final Map<Integer, Defined> optionsTemplates = new LinkedHashMap<>(2);
  // sFlow's, by type and index.
  private final Map<Long, DataSource> dataSources = new HashMap<>(2);
  private long bytes = BYTES;
  private long serial;
  private long systemInit;
  private long systemInitTold;
  private int life;
  private @Nullable FlowTotals totals;

  ObservationDomain(Exporter exporter, ExporterTable table, IngestCounter lost) {
    this.exporter = exporter;
    this.limits = table.limits();
    this.counters = table.counters();
    this.nothingHeld = table.nothingHeld();
    this.sequence =
        new SequenceTracker(new LossClaims(exporter, lost, counters), nothingHeld, counters);
  }

  public SequenceTracker sequence() {
    return sequence;
  }

  public Sampling sampling() {
    return sampling;
  }

  /** Its exporter has become known. */
  void prove() {
    sequence.claims().prove();
    dataSources.values().forEach(source -> source.sequence().claims().prove());
  }

  public ExporterNames names() {
    return names;
  }

  long bytes() {
    return bytes;
  }

  /** Of flows whose counters are since their start. */
  public FlowTotals totals() {
    if (totals == null) {
      totals = new FlowTotals(counters, this::takesTotals);
    }
    return totals;
  }

  private boolean takesTotals(long more) {
    // Templates and rates must find room, too.
    boolean takes = exporter.takeLeaving(more, limits.exporterBytes() / 4);
    bytes += takes ? more : 0;
    return takes;
  }

  /** When the exporter's uptime was 0, µs since 1970; 0 if unknown. */
  public long systemInit() {
    return systemInit;
  }

  /** If it is later than the last one, the exporter has begun anew; returns whether it has. */
  public boolean setSystemInit(long micros, long now) {
    boolean anew = systemInit != 0 && micros - systemInit > LifeClock.TOLERANCE * 1000L;
    if (anew) {
      forgetRates(now); // those of this very datagram stay
    }
    systemInit = micros;
    systemInitTold = now;
    return anew;
  }

  /** Counts the lives of templates: a set of one cannot be read by a template of the next. */
  public int life() {
    return life;
  }

  /**
   * To be called for each datagram before its sets are read: forgets rates and times that are too
   * old and, if the exporter began anew, those of its former life.
   *
   * @param domains the datagram's own one, then those whose templates it may use
   */
  public static void begin(ObservationDomain[] domains, DatagramHeader header) {
    SequenceTracker own = domains[0].sequence;
    SequenceTracker last = domains[domains.length - 1].sequence;
    boolean isNewSession = !own.clock().isKnown();
    if (header.uptimeIsHeaders) {
      for (ObservationDomain domain : domains) {
        domain.sequence.observeUptime(header.uptime, header.exportTime);
      }
    }
    // After a restart an exporter may send from another port: its uptime tells there.
    boolean anew =
        own.beginsAnew((int) header.sequence) || (isNewSession && last.clock().beginsLife());
    if (anew) {
      domains[0].counters.increment(IngestCounter.EXPORTERS_RESTARTED);
    }
    // RFC 3954 section 7: then a template's id may be that of another. IPFIX's are defined anew.
    boolean templatesToo = header.uptimeIsHeaders && !own.clock().goesOn();
    for (ObservationDomain domain : domains) {
      if (anew) {
        domain.beginLife(templatesToo, own.lifeBegan());
      }
      domain.expire(header.arrival);
    }
  }

  /**
   * The exporter has begun anew: its rates, {@link #systemInit} and, if {@code templatesToo}, its
   * templates are forgotten, but for what came since {@code began} (an arrival). Names live on
   * until others replace them: a wrong one harms no sum.
   */
  private void beginLife(boolean templatesToo, long began) {
    if (systemInitTold < began) {
      systemInit = 0;
    }
    forgetRates(began);
    if (templatesToo) {
      life++;
      removeAll(true, began);
      removeAll(false, began);
    }
  }

  /** Forgets rates and {@link #systemInit} if they are older than a template may be. */
  private void expire(long now) {
    long oldest = now - limits.templateLifetimeMicros();
    if (sampling.mayBeOlderThan(oldest)) {
      counters.add(IngestCounter.SAMPLING_EXPIRED, forgetRates(oldest));
    }
    if (systemInitTold < oldest) {
      systemInit = 0;
    }
  }

  private int forgetRates(long toldBefore) {
    if (sampling == Sampling.NONE) {
      return 0;
    }
    int rates = sampling.samplers() + sampling.interfaces();
    int forgotten = sampling.forgetOlderThan(toldBefore);
    giveRates(rates - sampling.samplers() - sampling.interfaces());
    return forgotten;
  }

  private void giveRates(int rates) {
    bytes -= (long) rates * RATE_BYTES;
    exporter.give((long) rates * RATE_BYTES);
  }

  /** An unknown rate takes the former one away; one without room is counted. */
  public void setSampler(long id, Sampling.Rate rate, long now) {
    if (rate.isUnknown()) {
      giveRates(sampling.removeSampler(id) ? 1 : 0);
    } else if (sampling.hasSampler(id) || takesRate(sampling.samplers())) {
      ownSampling().setSampler(id, rate, now);
    }
  }

  /** As {@link #setSampler}; exporters use 0 for all interfaces. */
  public void setInterface(long index, Sampling.Rate rate, long now) {
    if (index == 0) {
      setRate(rate, now);
    } else if (rate.isUnknown()) {
      giveRates(sampling.removeInterface(index) ? 1 : 0);
    } else if (sampling.hasInterface(index) || takesRate(sampling.interfaces())) {
      ownSampling().setInterface(index, rate, now);
    }
  }

  /** As {@link #setSampler}, of all flows that no other rate is of. */
  public void setRate(Sampling.Rate rate, long now) {
    if (!rate.isUnknown() || sampling.hasDomain()) {
      ownSampling().setDomain(rate, now);
    }
  }

  private Sampling ownSampling() {
    sampling = sampling == Sampling.NONE ? new Sampling() : sampling;
    return sampling;
  }

  private boolean takesRate(int rates) {
    return takes(rates, RATE_BYTES, IngestCounter.SAMPLING_DROPPED);
  }

  /** Counts a name that found no room. */
  public void setApplication(long key, byte[] name) {
    if (takesName(names.applications(), key, name)) {
      names.applications().put(key, name);
    }
  }

  /** As {@link #setApplication}. */
  public void setVrf(long id, byte[] name) {
    if (takesName(names.vrfs(), id, name)) {
      names.vrfs().put(id, name);
    }
  }

  /** As {@link #setApplication}. */
  public void setInterfaceName(long index, byte[] name) {
    if (takesName(names.interfaces(), index, name)) {
      names.interfaces().put(index, name);
    }
  }

  /** As {@link #setApplication}. */
  public void setInterfaceDescription(long index, byte[] description) {
    if (takesName(names.descriptions(), index, description)) {
      names.descriptions().put(index, description);
    }
  }

  private boolean takesName(Names among, long key, byte[] name) {
    byte[] old = among.get(key);
    int more = old == null ? NAME_BYTES + name.length : name.length - old.length;
    if (more <= 0) {
      bytes += more;
      exporter.give(-more);
      return true;
    }
    if (names == NO_NAMES) {
      more += NAMES_BYTES;
    }
    int known = old == null ? among.size() : 0;
    if (!takes(known, more, IngestCounter.NAMES_DROPPED)) {
      return false;
    }
    names = names == NO_NAMES ? new ExporterNames() : names;
    return true;
  }

  private boolean takes(int known, int more, IngestCounter dropped) {
    // Leave room for a domain, as the next datagram may need another one.
    boolean takes = known < limits.scopesPerDomain() && exporter.takeLeaving(more, BYTES);
    if (takes) {
      bytes += more;
    } else {
      counters.increment(dropped);
    }
    return takes;
  }

  /** A data source of sFlow, a new one if need be; null if there is no room, which is counted. */
  public @Nullable DataSource dataSource(long type, long index) {
    long id = (type << 32) | index;
    DataSource source = dataSources.get(id);
    if (source == null) {
      if (dataSources.size() >= limits.scopesPerDomain()
          || !exporter.takeLeaving(DataSource.BYTES, BYTES)) {
        counters.increment(IngestCounter.SAMPLING_DROPPED);
        return null;
      }
      bytes += DataSource.BYTES;
      LossClaims claims = new LossClaims(exporter, IngestCounter.SEQUENCE_LOST_FLOWS, counters);
      source = new DataSource(claims, nothingHeld, counters);
      dataSources.put(id, source);
    }
    return source;
  }

  /** The next datagram's numbers have nothing to do with the last one's. */
  void restartSequences() {
    sequence.restart();
    dataSources.values().forEach(DataSource::restart);
  }

  Collection<DataSource> dataSources() {
    return dataSources.values();
  }

  /** Null if none lives. */
  public @Nullable Template template(int id, long arrival) {
    Defined defined = defined(id);
    if (defined != null && arrival - defined.arrival() > limits.templateLifetimeMicros()) {
      remove(id);
      counters.increment(IngestCounter.TEMPLATES_EXPIRED);
      return null;
    }
    return defined == null ? null : defined.template();
  }

  /** The template of this id at any age, or null. */
  public @Nullable Template current(int id) {
    Defined defined = defined(id);
    return defined == null ? null : defined.template();
  }

  private @Nullable Defined defined(int id) {
    Defined defined = flowTemplates.get(id);
    return defined != null ? defined : optionsTemplates.get(id);
  }

  /** In place of its id's, forgetting older state at the limit; false if alone it exceeds that. */
  public boolean define(Template template, long arrival) {
    remove(template.id());
    if (flowTemplates.size() + optionsTemplates.size() >= limits.templatesPerDomain()) {
      evictTemplate();
    }
    Defined defined = new Defined(template, arrival, serial++);
    if (!exporter.take(defined.bytes())) {
      return false;
    }
    bytes += defined.bytes();
    (template.isOptions() ? optionsTemplates : flowTemplates).put(template.id(), defined);
    return true;
  }

  /** The one that was defined longest ago; false without. */
  boolean evictTemplate() {
    Defined flows = first(flowTemplates);
    Defined options = first(optionsTemplates);
    Defined oldest =
        options == null || (flows != null && flows.serial() < options.serial()) ? flows : options;
    if (oldest == null) {
      return false;
    }
    remove(oldest.template().id());
    counters.increment(IngestCounter.TEMPLATES_EVICTED);
    return true;
  }

  private static @Nullable Defined first(Map<Integer, Defined> templates) {
    Iterator<Defined> all = templates.values().iterator();
    return all.hasNext() ? all.next() : null;
  }

  boolean hasTemplates() {
    return templates() > 0;
  }

  int templates() {
    return flowTemplates.size() + optionsTemplates.size();
  }

  int samplingRates() {
    return sampling.samplers() + sampling.interfaces() + (sampling.hasDomain() ? 1 : 0);
  }

  /** With what tells whether the exporter begins anew while nobody listens. */
  void writeTemplates(DataOutputStream out) throws IOException {
    sequence.clock().write(out);
    out.writeInt(flowTemplates.size() + optionsTemplates.size());
    for (Map<Integer, Defined> templates : List.of(flowTemplates, optionsTemplates)) {
      for (Defined defined : templates.values()) {
        out.writeLong(defined.arrival());
        defined.template().write(out);
      }
    }
  }

  public boolean remove(int id) {
    Defined removed = flowTemplates.remove(id);
    if (removed == null) {
      removed = optionsTemplates.remove(id);
    }
    if (removed == null) {
      return false;
    }
    bytes -= removed.bytes();
    exporter.give(removed.bytes());
    return true;
  }

  public int removeAll(boolean options) {
    return removeAll(options, Long.MAX_VALUE);
  }

  private int removeAll(boolean options, long definedBefore) {
    Map<Integer, Defined> templates = options ? optionsTemplates : flowTemplates;
    int removed = 0;
    for (Defined first = first(templates);
        first != null && first.arrival() < definedBefore;
        first = first(templates)) {
      remove(first.template().id());
      removed++;
    }
    return removed;
  }
}
