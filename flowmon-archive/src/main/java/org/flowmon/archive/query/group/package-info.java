/**
 * Groupers: of hash tables, and of packed keys, which are all keys of a row in one long. Also
 * groups of posting lists, and the planners that choose among them.
 */
@NullMarked
package org.flowmon.archive.query.group;

import org.jspecify.annotations.NullMarked;
