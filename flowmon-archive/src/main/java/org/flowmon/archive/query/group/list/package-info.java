/** Groups from posting lists, each of which holds the rows of one first key. */
package org.flowmon.archive.query.group.list;
