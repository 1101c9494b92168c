package org.flowmon.deploy.serve.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.flowmon.deploy.serve.query.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * A page of items whose times fall.
 *
 * @param next the cursor of the next page; null if this is the last
 */
record Page<T>(List<T> items, @Nullable String next) {
  /**
   * {@code all} begin at the cursor's time.
   *
   * @param isCut whether others follow them
   * @param asked the checksum of what is asked
   */
  static <T> Page<T> of(
      List<T> all,
      boolean isCut,
      ToLongFunction<T> time,
      Optional<Cursor> cursor,
      long asked,
      int limit) {
    int first = 0;
    long skip = cursor.map(Cursor::skip).orElse(0L);
    // New items of the cursor's time come before the old ones at worst: none is left out.
    while (first < all.size()
        && first < skip
        && time.applyAsLong(all.get(first)) == cursor.orElseThrow().at()) {
      first++;
    }
    int end = Math.min(all.size(), first + limit);
    List<T> items = new ArrayList<>(all.subList(first, end));
    if (end == all.size() && (!isCut || items.isEmpty())) {
      return new Page<>(items, null);
    }
    long at = time.applyAsLong(all.get(end - 1));
    long same = 0;
    for (int i = end - 1; i >= 0 && time.applyAsLong(all.get(i)) == at; i--) {
      same++;
    }
    return new Page<>(items, new Cursor(asked, 0, at, same).toString());
  }
}
