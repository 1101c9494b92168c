/**
 * Files and folders that others may not see or exchange ({@link
 * org.flowmon.flow.files.PrivateFiles}, {@link org.flowmon.flow.files.PrivateFolder}), and names
 * that survive a power failure ({@link org.flowmon.flow.files.SyncedFolders}).
 */
@NullMarked
package org.flowmon.flow.files;

import org.jspecify.annotations.NullMarked;
