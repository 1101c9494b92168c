package org.flowmon.udaf.enrich;

import java.util.Optional;
import java.util.function.Supplier;

/** The tables of enriched columns. Safe for many threads. */
public interface Enrichment {
  /** Without files: only names that are known without one. */
  Enrichment NONE =
      new Enrichment() {
        @Override
        public Supplier<Lookup> lookup(EnrichedColumn.Table table) {
          return KnownNames.of(table);
        }

        @Override
        public Optional<String> version(EnrichedColumn.Table table) {
          return Optional.empty();
        }
      };

  /**
   * The same object at each call, until {@link #pinned}: equal columns of several queries are then
   * evaluated once. {@link Lookup#NONE} if there is no such table.
   */
  Supplier<Lookup> lookup(EnrichedColumn.Table table);

  /** Whether a table is configured that completes a stored column, as {@code src_as}. */
  default boolean completes(EnrichedColumn.Table table) {
    return version(table).isPresent();
  }

  /** The file and its version, for people; empty if no file is read for the table. */
  Optional<String> version(EnrichedColumn.Table table);

  /** The present versions, which do not change any more. */
  default Enrichment pinned() {
    return this;
  }
}
