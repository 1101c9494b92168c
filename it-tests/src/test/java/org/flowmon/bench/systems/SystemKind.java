package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.embedded.EmbeddedMariaDb;

/** The compared systems. */
enum SystemKind {
  FLOWMON(Factors.TRANSACTIONS, FlowmonStore::open, Optional::empty),
  POSTGRES(Factors.ALL, PostgresStore::open, Optional::empty),
  MARIADB(
      Factors.ALL,
      MariaDbStore::open,
      () ->
          EmbeddedMariaDb.isAvailable()
              ? Optional.empty()
              : Optional.of("its binaries are not on the class path")),
  SQLITE(Factors.ALL, SqliteStore::open, Optional::empty),
  NFDUMP(Factors.NONE, NfdumpStore::open, () -> Programs.missing("nfcapd", "nfdump")),
  FLOW_TOOLS(
      Factors.NONE,
      FlowToolsStore::open,
      () -> Programs.missing("flow-import", "flow-export", "flow-nfilter", "flow-report"));

  /** Which factors a system has; it has one kind of the others, its own. */
  enum Factors {
    /** Field types, indexes, transactions. */
    ALL,
    TRANSACTIONS,
    NONE
  }

  /** Makes an empty store in a new folder; {@code sync}: whether a commit waits for the disk. */
  @FunctionalInterface
  private interface Opener {
    FlowStore open(Path folder, boolean sync) throws IOException;
  }

  private final Factors factors;
  private final Opener opener;
  private final Supplier<Optional<String>> missing;

  SystemKind(Factors factors, Opener opener, Supplier<Optional<String>> missing) {
    this.factors = factors;
    this.opener = opener;
    this.missing = missing;
  }

  /** The name in options and tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Factors factors() {
    return factors;
  }

  FlowStore open(Path folder, boolean sync) throws IOException {
    return opener.open(folder, sync);
  }

  /** The named systems that are here; those that are not are said and left out. */
  static List<SystemKind> chosen(Run run) {
    List<SystemKind> named = run.texts("systems").stream().map(SystemKind::of).toList();
    for (SystemKind kind : named) {
      kind.missing
          .get()
          .ifPresent(
              why -> {
                run.progress("%s is left out: %s", kind.label(), why);
                run.note(kind.label() + " is left out: " + why);
              });
    }
    List<SystemKind> here =
        named.stream().filter(kind -> kind.missing.get().isEmpty()).toList();
    Run.require(!here.isEmpty(), "none of %s is installed", run.texts("systems"));
    return here;
  }

  private static SystemKind of(String label) {
    return Arrays.stream(values())
        .filter(kind -> kind.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--systems: no system "
                        + label
                        + "; there are "
                        + Arrays.stream(values()).map(SystemKind::label).toList()));
  }
}
