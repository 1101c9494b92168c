/**
 * Flink SQL over an archive and topic {@code flows}: the connector and the catalog {@code flowmon}
 * ({@code docs/sql.md}). Begin with {@link org.flowmon.jobs.sql.ArchiveTableSource}, which turns
 * what Flink's planner pushes down into a query of the dialect; {@link
 * org.flowmon.jobs.scan.ArchiveSource} answers it split by split, {@link
 * org.flowmon.jobs.sql.lookup.ArchiveLookup} the lookups of a join. Flink's table classes are
 * needed here and in the packages below, and nowhere else in the job's jar: only Flink SQL loads
 * them.
 */
@NullMarked
package org.flowmon.jobs.sql;

import org.jspecify.annotations.NullMarked;
