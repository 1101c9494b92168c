/** Rows to export, block by block, with their columns, and the target that takes them. */
@NullMarked
package org.flowmon.deploy.export.row;

import org.jspecify.annotations.NullMarked;
