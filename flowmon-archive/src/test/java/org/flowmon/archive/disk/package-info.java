/** Archives on disks that are full, or whose files are cut while they are read. */
package org.flowmon.archive.disk;
