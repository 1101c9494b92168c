/**
 * Where the files of an archive lie: a folder, or a store of objects with a cache. The one way to
 * them.
 */
@NullMarked
package org.flowmon.archive.store;

import org.jspecify.annotations.NullMarked;
