package org.flowmon.jobs.sql.scan;

import java.io.Serializable;
import java.util.List;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.sql.row.SqlField;

/**
 * What each split of an archive is asked, and how the answer becomes rows.
 *
 * @param query in the dialect; text, as a process knows users' own columns once it opens the
 *     archive
 * @param fields one for each item of the query; none if only the number of rows matters
 * @param limit more rows than this are not wanted from one reader; −1 for all
 */
public record ArchiveScan(ArchiveLocation archive, String query, List<SqlField> fields, long limit)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public ArchiveScan {
    fields = List.copyOf(fields);
  }
}
