/**
 * Commits to an archive, which take effect in one step each, and the committed state of its
 * sources.
 */
@NullMarked
package org.flowmon.archive.commit;

import org.jspecify.annotations.NullMarked;
