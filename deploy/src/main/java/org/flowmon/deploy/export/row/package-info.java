/** Rows to export, block by block, with their columns, and the target that takes them. */
package org.flowmon.deploy.export.row;
