/**
 * Groups as bytes between tasks: packs and opens partial groups, and merges them into tables of
 * groups (docs/format/partial-groups.md).
 */
@NullMarked
package org.flowmon.udaf.partial;

import org.jspecify.annotations.NullMarked;
