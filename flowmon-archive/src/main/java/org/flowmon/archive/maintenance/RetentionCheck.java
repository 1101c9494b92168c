package org.flowmon.archive.maintenance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.maintenance.VerifyReport.Damage;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.TimeKeys;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;

/**
 * Checks an archive's expiration: no more is visible or stored than the limits allow, and the time
 * keys before and after each first visible row are on their side of the cutoff.
 */
final class RetentionCheck {
  // The files are sound: only a defect of the program leads here.
  private static final String REMEDY =
      "flowmon expire applies the limits again; if this stays, report it: no file is damaged";

  private RetentionCheck() {}

  static List<Damage> of(ArchiveStore store, ManifestState state) throws IOException {
    List<Damage> damages = new ArrayList<>();
    String manifest = store.describe(Manifest.FOLDER);
    RetentionOptions limits = state.retention();
    if (limits.rows() > 0 && state.rows() > limits.rows()) {
      damages.add(
          new Damage(
              manifest,
              "retention",
              state.rows() + " flows visible, limit " + limits.rows(),
              REMEDY));
    }
    if (state.storedRows() > limits.mostRows()) {
      damages.add(
          new Damage(
              manifest,
              "retention",
              state.storedRows() + " flows stored, limit " + limits.mostRows(),
              REMEDY));
    }
    if (state.keys() != null && state.keys().total() < state.rows()) {
      damages.add(
          new Damage(
              manifest,
              "time keys",
              state.keys().total() + " counted of " + state.rows() + " visible flows",
              REMEDY));
    }
    for (SealedSegment segment : state.segments()) {
      int first = state.firstRow(segment.id());
      if (first == 0 && segment.timeKey().min() >= state.cutoff()) {
        continue;
      }
      String file = Archive.SEGMENTS + "/" + segment.fileName();
      try (HeldFolder held = store.asStored(List.of(file));
          SegmentReader reader = SegmentReader.open(held.folder(), segment)) {
        TimeKeys keys = new TimeKeys(reader);
        if (keys.at(first) < state.cutoff() || (first > 0 && keys.at(first - 1) > state.cutoff())) {
          damages.add(
              new Damage(
                  store.describe(file),
                  "first visible row " + first,
                  "time key "
                      + keys.at(first)
                      + ", not on its side of the cutoff "
                      + state.cutoff(),
                  REMEDY));
        }
      }
    }
    return damages;
  }
}
