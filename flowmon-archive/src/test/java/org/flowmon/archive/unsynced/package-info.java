/** A file system that forgets, when the power goes, what was not synced. */
package org.flowmon.archive.unsynced;
