/**
 * The commits of an archive: the state after them, the rules of a commit, and their files
 * (docs/format/manifest.md).
 */
@NullMarked
package org.flowmon.archive.manifest;

import org.jspecify.annotations.NullMarked;
